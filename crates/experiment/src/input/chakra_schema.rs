//! The part of the schema of Chakra execution traces that is used (`et_def.proto` of MLCommons): a file is a
//! sequence of length-prefixed messages, one [`GlobalMetadata`] and then the [`Node`]s.

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GlobalMetadata {
    #[prost(string, tag = "1")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Node {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(enumeration = "NodeType", tag = "3")]
    pub(crate) kind: i32,
    #[prost(uint64, repeated, tag = "4")]
    pub(crate) ctrl_deps: Vec<u64>,
    #[prost(uint64, repeated, tag = "5")]
    pub(crate) data_deps: Vec<u64>,
    #[prost(uint64, tag = "7")]
    pub(crate) duration_micros: u64,
    #[prost(message, optional, tag = "8")]
    pub(crate) inputs: Option<Inputs>,
    #[prost(message, repeated, tag = "10")]
    pub(crate) attr: Vec<AttributeProto>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum NodeType {
    Invalid = 0,
    Metadata = 1,
    MemLoad = 2,
    MemStore = 3,
    Comp = 4,
    CommSend = 5,
    CommRecv = 6,
    CommColl = 7,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Inputs {
    #[prost(string, tag = "1")]
    pub(crate) values: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct AttributeProto {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(oneof = "Value", tags = "7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29")]
    pub(crate) value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Value {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(sint32, tag = "15")]
    Sint32(i32),
    #[prost(sint64, tag = "17")]
    Sint64(i64),
    #[prost(fixed32, tag = "19")]
    Fixed32(u32),
    #[prost(fixed64, tag = "21")]
    Fixed64(u64),
    #[prost(sfixed32, tag = "23")]
    Sfixed32(i32),
    #[prost(sfixed64, tag = "25")]
    Sfixed64(i64),
    #[prost(bool, tag = "27")]
    Bool(bool),
    #[prost(string, tag = "29")]
    Text(String),
}

impl Value {
    /// An integer of any type, or a flag as 0 or 1.
    pub(crate) fn integer(&self) -> Option<i128> {
        Some(match *self {
            Self::Int32(own) | Self::Sint32(own) | Self::Sfixed32(own) => own.into(),
            Self::Int64(own) | Self::Sint64(own) | Self::Sfixed64(own) => own.into(),
            Self::Uint32(own) | Self::Fixed32(own) => own.into(),
            Self::Uint64(own) | Self::Fixed64(own) => own.into(),
            Self::Bool(own) => own.into(),
            Self::Text(_) => return None,
        })
    }
}
