//! Words of enumerations.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, Variant, spanned::Spanned};

use crate::documentation;

/// Makes `ALL`, `name` and `summary` of an enumeration.
pub(crate) fn words(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(input.span(), "expected an enumeration"));
    };
    if let Some(variant) = data.variants.iter().find(|variant| !matches!(variant.fields, Fields::Unit)) {
        return Err(Error::new(variant.span(), "expected a variant without members"));
    }
    let (name, visibility) = (&input.ident, &input.vis);
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let words = data.variants.iter().map(word).collect::<Result<Vec<_>>>()?;
    let summaries = data.variants.iter().map(|variant| documentation(&variant.attrs));
    let count = variants.len();
    Ok(quote! {
        #[allow(dead_code, reason = "few enumerations need all of it")]
        impl #name {
            /// All variants, in the order of their definition.
            #visibility const ALL: [Self; #count] = [#(Self::#variants),*];

            /// Its name in files.
            #[must_use]
            #visibility const fn name(self) -> &'static str {
                match self {
                    #(Self::#variants => #words),*
                }
            }

            /// A sentence on it.
            #[must_use]
            #visibility const fn summary(self) -> &'static str {
                match self {
                    #(Self::#variants => #summaries),*
                }
            }
        }
    })
}

/// The word of a variant: from its attribute, or its name in lower case with hyphens.
fn word(variant: &Variant) -> Result<String> {
    if let Some(attribute) = variant.attrs.iter().find(|attr| attr.path().is_ident("word")) {
        return Ok(attribute.parse_args::<LitStr>()?.value());
    }
    let mut word = String::new();
    for letter in variant.ident.to_string().chars() {
        if letter.is_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.extend(letter.to_lowercase());
    }
    Ok(word)
}
