//! The part of the Chakra execution trace schema that is used here (`et_def.proto` of MLCommons): a file is a
//! sequence of length-prefixed messages, one [`GlobalMetadata`] and then the [`Node`]s.

/// The first message of a file.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GlobalMetadata {
    /// The version of the schema.
    #[prost(string, tag = "1")]
    pub version: String,
}

/// An operation of a rank.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Node {
    /// Its identifier, unique within the file.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Its name.
    #[prost(string, tag = "2")]
    pub name: String,
    /// A [`NodeType`].
    #[prost(enumeration = "NodeType", tag = "3")]
    pub kind: i32,
    /// The identifiers of the operations that it follows.
    #[prost(uint64, repeated, tag = "4")]
    pub ctrl_deps: Vec<u64>,
    /// The identifiers of the operations whose data it needs.
    #[prost(uint64, repeated, tag = "5")]
    pub data_deps: Vec<u64>,
    /// Its time \[us\].
    #[prost(uint64, tag = "7")]
    pub duration_micros: u64,
    /// Its arguments.
    #[prost(message, optional, tag = "8")]
    pub inputs: Option<Inputs>,
    /// Its attributes.
    #[prost(message, repeated, tag = "10")]
    pub attr: Vec<AttributeProto>,
}

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum NodeType {
    /// No kind.
    Invalid = 0,
    /// A description, such as a list of process groups.
    Metadata = 1,
    /// A load from memory.
    MemLoad = 2,
    /// A store to memory.
    MemStore = 3,
    /// A computation.
    Comp = 4,
    /// A send.
    CommSend = 5,
    /// A receive.
    CommRecv = 6,
    /// A collective.
    CommColl = 7,
}

/// The arguments of an operation.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Inputs {
    /// Their values, as one text.
    #[prost(string, tag = "1")]
    pub values: String,
}

/// A named value.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AttributeProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its value.
    #[prost(oneof = "Value", tags = "7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 28, 29")]
    pub value: Option<Value>,
}

/// A list of truth values.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BoolList {
    /// Its values.
    #[prost(bool, repeated, tag = "1")]
    pub values: Vec<bool>,
}

/// A value of any type of the schema.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Value {
    /// A signed integer, 32 bits.
    #[prost(int32, tag = "7")]
    Int32(i32),
    /// A signed integer, 64 bits.
    #[prost(int64, tag = "9")]
    Int64(i64),
    /// An unsigned integer, 32 bits.
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    /// An unsigned integer, 64 bits.
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    /// A zigzag-encoded integer, 32 bits.
    #[prost(sint32, tag = "15")]
    Sint32(i32),
    /// A zigzag-encoded integer, 64 bits.
    #[prost(sint64, tag = "17")]
    Sint64(i64),
    /// An unsigned integer of fixed length, 32 bits.
    #[prost(fixed32, tag = "19")]
    Fixed32(u32),
    /// An unsigned integer of fixed length, 64 bits.
    #[prost(fixed64, tag = "21")]
    Fixed64(u64),
    /// A signed integer of fixed length, 32 bits.
    #[prost(sfixed32, tag = "23")]
    Sfixed32(i32),
    /// A signed integer of fixed length, 64 bits.
    #[prost(sfixed64, tag = "25")]
    Sfixed64(i64),
    /// A truth value.
    #[prost(bool, tag = "27")]
    Bool(bool),
    /// Truth values.
    #[prost(message, tag = "28")]
    Bools(BoolList),
    /// A text.
    #[prost(string, tag = "29")]
    Text(String),
}

impl Value {
    /// An integer of any type, or a flag as 0 or 1.
    #[must_use]
    pub fn integer(&self) -> Option<i128> {
        Some(match *self {
            Self::Int32(value) | Self::Sint32(value) | Self::Sfixed32(value) => value.into(),
            Self::Int64(value) | Self::Sint64(value) | Self::Sfixed64(value) => value.into(),
            Self::Uint32(value) | Self::Fixed32(value) => value.into(),
            Self::Uint64(value) | Self::Fixed64(value) => value.into(),
            Self::Bool(value) => value.into(),
            Self::Text(_) | Self::Bools(_) => return None,
        })
    }
}
