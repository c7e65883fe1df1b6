//! Reads parameters.
use crate::proto::{Failure, Method};
pub(super) fn read<M: Method>(params: Option<&str>) -> Result<M::Params, Failure> {
    let params: M::Params = serde_json::from_str(params.unwrap_or("{}"))
        .map_err(|e| Failure::params("", e.to_string()))?;
    M::check(&params)?;
    Ok(params)
}
