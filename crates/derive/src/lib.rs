//! Derives that turn documentation in the code into text for users: columns of results, and words of scenario files.

mod columns;
mod words;

use proc_macro::TokenStream;
use syn::{Attribute, Error, Expr, parse_macro_input};

/// Columns of result records, derived from the members of their structs.
///
/// A member with a `column` attribute is a column. Its documentation is the definition that users read, up to the first
/// empty line; type and name follow from the member:
///
/// ```ignore
/// /// The extra cycles of computations that vary.
/// #[derive(Serialize, Columns)]
/// #[columns(NOISE, prefix = "program_compute_noise_", source = "docs/model.md, section 29.3")]
/// pub struct NoiseRecord {
///     /// The greatest number of extra cycles of uniform noise.
///     #[column("noise, at most", unit = "cycles")]
///     #[serde(skip_serializing_if = "Option::is_none")]
///     pub max: Option<u64>,
/// }
/// ```
///
/// makes `static NOISE: &[Column<NoiseRecord>]`. The attribute of a struct has the name of that list, and optionally a
/// `prefix` of all names and a default `source`. The attribute of a member has the title, and optionally
///
/// - `name`, if it is not the prefix and the name of the member,
/// - `aliases`, `unit`, `formula`, `source`: the rest of its definition,
/// - `kind` and `value`: the type and the cell, if not the member's,
/// - `text`: the definition, if not the documentation,
/// - `list`: the list of the column, if not that of the struct,
/// - `term`: a definition without a column.
///
/// An attribute without arguments is a column that the definition of another one describes. A member may have several
/// columns. A member that JSON leaves out (`skip_serializing_if`) has an absent cell.
#[proc_macro_derive(Columns, attributes(columns, column))]
pub fn columns(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input);
    columns::lists(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// The words by which files name the variants of an enumeration, derived from the names of the variants: `VirtualCutThrough`
/// is `virtual-cut-through`, unless `#[word("..")]` says otherwise.
///
/// It makes `ALL`, the variants in their order; `name`, their words; and `summary`, the first paragraphs of their
/// documentation, which `cubefold explain` shows.
#[proc_macro_derive(Words, attributes(word))]
pub fn words(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input);
    words::words(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// The first paragraph of the documentation, without the escapes of Markdown.
pub(crate) fn documentation(attributes: &[Attribute]) -> String {
    let mut lines = vec![];
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Ok(named) = attribute.meta.require_name_value() else { continue };
        let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) = &named.value else { continue };
        lines.push(line.value().trim().to_owned());
    }
    let first: Vec<String> = lines.into_iter().take_while(|line| !line.is_empty()).collect();
    first.join(" ").replace('\\', "")
}
