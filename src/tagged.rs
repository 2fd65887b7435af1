//! One way to write a union of structs that carry their own tag.
//!
//! Each member struct names its tag itself (`#[serde(tag = …, rename = …)]`), so that its TypeScript
//! interface stands alone (`UserMessage` has `role: "user"`). The enum made here adds nothing on
//! serialization, picks the member by the tag on deserialization, and declares the union in
//! TypeScript under the same names.

macro_rules! tagged_union {
    (
        $(#[$meta:meta])*
        pub enum $name:ident $(<$page:ident = $default:ty>)? by $tag:literal {
            $($(#[$variant_meta:meta])* $variant:ident($member:ident $(<$member_page:ident>)?),)*
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Deserialize)]
        #[serde(tag = $tag, bound = "")]
        $(#[$meta])*
        pub enum $name $(<$page: Page = $default>)? {
            $($(#[$variant_meta])* $variant($member $(<$member_page>)?),)*
        }

        impl $(<$page: Page>)? serde::Serialize for $name $(<$page>)? {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(member) => member.serialize(serializer),)*
                }
            }
        }

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use wasm_bindgen::prelude::*;
            #[wasm_bindgen(typescript_custom_section)]
            const DECLARATION: &'static str =
                concat!("export type ", stringify!($name), " ="$(, " | ", stringify!($member))*, ";");
        };
    };
}

pub(crate) use tagged_union;
