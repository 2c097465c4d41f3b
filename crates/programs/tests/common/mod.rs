//! What the integration tests share.

pub mod machine;
pub mod oracle;
