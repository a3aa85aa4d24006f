//! Columns of the results.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Ident, LitStr, Meta, Result, Token,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

use crate::documentation;

/// The attribute of a struct.
struct Defaults {
    list: Ident,
    prefix: String,
    source: Option<TokenStream>,
}

impl Parse for Defaults {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut defaults = Self { list: input.parse()?, prefix: String::new(), source: None };
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            match key.to_string().as_str() {
                "prefix" => defaults.prefix = input.parse::<LitStr>()?.value(),
                "source" => defaults.source = Some(expression(input)?),
                _ => return Err(Error::new(key.span(), "expected prefix or source")),
            }
        }
        Ok(defaults)
    }
}

/// The attribute of a member.
struct Described {
    title: LitStr,
    is_term: bool,
    list: Option<Ident>,
    kind: Option<Ident>,
    /// `name`, `aliases`, `unit`, `formula`, `source`, `text` and `value`.
    others: Vec<(Ident, TokenStream)>,
}

impl Parse for Described {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let title = input.parse()?;
        let mut described = Self { title, is_term: false, list: None, kind: None, others: vec![] };
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let key: Ident = input.parse()?;
            let name = key.to_string();
            if name == "term" {
                described.is_term = true;
                continue;
            }
            input.parse::<Token![=]>()?;
            match name.as_str() {
                "list" => described.list = Some(input.parse()?),
                "kind" => described.kind = Some(input.parse()?),
                "name" | "aliases" | "unit" | "formula" | "source" | "text" | "value" => {
                    described.others.push((key, expression(input)?));
                }
                _ => return Err(Error::new(key.span(), "unknown part of a column")),
            }
        }
        Ok(described)
    }
}

impl Described {
    /// A column whose definition is elsewhere.
    fn of_defined_elsewhere(place: Span) -> Self {
        let others = ["text", "source"].map(|key| (Ident::new(key, place), quote!(""))).into();
        Self { title: LitStr::new("", place), is_term: false, list: None, kind: None, others }
    }

    fn get(&self, key: &str) -> Option<&TokenStream> {
        self.others.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

/// The tokens up to the next comma: closures are not parsed, so that syn is built without its largest part.
fn expression(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// Makes the lists of the columns of a struct, in the order of its members.
pub(crate) fn lists(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.span(), "expected a struct"));
    };
    let attribute = input.attrs.iter().find(|attr| attr.path().is_ident("columns"));
    let missing = || Error::new(input.span(), "expected the attribute columns");
    let defaults: Defaults = attribute.ok_or_else(missing)?.parse_args()?;
    let mut lists: Vec<(Ident, Vec<TokenStream>)> = vec![];
    for field in &data.fields {
        for attribute in field.attrs.iter().filter(|attr| attr.path().is_ident("column")) {
            let described = match &attribute.meta {
                Meta::Path(path) => Described::of_defined_elsewhere(path.span()),
                _ => attribute.parse_args()?,
            };
            let list = described.list.clone().unwrap_or_else(|| defaults.list.clone());
            let column = column(&defaults, field, &described)?;
            match lists.iter_mut().find(|(known, _)| *known == list) {
                Some((_, columns)) => columns.push(column),
                None => lists.push((list, vec![column])),
            }
        }
    }
    let record = &input.ident;
    let doc = format!("Columns of [`{record}`].");
    let lists = lists.into_iter().map(|(list, columns)| {
        quote! {
            #[doc = #doc]
            pub(crate) static #list: &[crate::column::Column<#record>] = &[#(#columns),*];
        }
    });
    Ok(quote! { #(#lists)* })
}

fn column(defaults: &Defaults, field: &Field, described: &Described) -> Result<TokenStream> {
    let member = field.ident.as_ref().ok_or_else(|| Error::new(field.span(), "expected a named member"))?;
    let (title, ty) = (&described.title, &field.ty);
    let part = |key: &str, default: TokenStream| described.get(key).cloned().unwrap_or(default);
    let name = part("name", format!("{}{member}", defaults.prefix).to_token_stream());
    let text = part("text", documentation(&field.attrs).to_token_stream());
    let (unit, formula, aliases) =
        (part("unit", quote!("")), part("formula", quote!("")), part("aliases", quote!([])));
    let source = described.get("source").or(defaults.source.as_ref());
    let source = source.ok_or_else(|| Error::new(title.span(), "expected a source"))?;
    let is_term = described.is_term;
    let kind = described.kind.clone().or_else(|| is_term.then(|| format_ident!("Term")));
    let kind = kind.map_or_else(
        || quote!(<#ty as crate::column::Member>::KIND),
        |kind| quote!(crate::definition::Kind::#kind),
    );
    let value = match described.get("value") {
        Some(value) => quote!(#value),
        None if is_term => quote!(crate::column::no_cell),
        None if is_left_out(&field.attrs) => {
            quote!(|record| crate::column::Member::cell_or_absent(&record.#member))
        }
        None => quote!(|record| crate::column::Member::cell(&record.#member)),
    };
    Ok(quote! {
        crate::column::Column {
            definition: crate::definition::Definition {
                name: #name,
                title: #title,
                aliases: &#aliases,
                kind: #kind,
                unit: #unit,
                text: #text,
                formula: #formula,
                source: #source,
            },
            value: #value,
        }
    })
}

/// Whether JSON leaves out a member without a value.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("serde")).any(|attribute| {
        attribute
            .meta
            .require_list()
            .is_ok_and(|list| list.tokens.to_string().contains("skip_serializing_if"))
    })
}
