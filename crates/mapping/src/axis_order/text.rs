//! Orders of axes as names: `0=3/1=1x2`, with lengths `0=1:2x2:4/1=1:4x2:4`, and `/folded` at the end of folded ones.

use std::{fmt, str::FromStr};

use super::{AxisOrder, HostPart};

impl fmt::Display for AxisOrder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (axis, parts)) in self.axes.iter().enumerate() {
            let separator = if place == 0 { "" } else { "/" };
            let part = |part: &HostPart| match part.length {
                None => (part.host + 1).to_string(),
                Some(length) => format!("{}:{length}", part.host + 1),
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            write!(formatter, "{separator}{axis}={}", parts.join("x"))?;
        }
        formatter.write_str(if self.is_folded { "/folded" } else { "" })
    }
}

/// A text that is no order of axes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an order of axes such as 0=3/1=1x2, or with lengths 0=1:2x2:4/1=1:4x2:4")]
pub struct ParseAxisOrderError;

impl FromStr for AxisOrder {
    type Err = ParseAxisOrderError;

    fn from_str(text: &str) -> Result<Self, ParseAxisOrderError> {
        let (order, is_folded) = match text.strip_suffix("/folded") {
            Some(order) => (order, true),
            None => (text, false),
        };
        let number = |text: &str| text.parse::<usize>().map_err(|_| ParseAxisOrderError);
        let host = |text: &str| number(text)?.checked_sub(1).ok_or(ParseAxisOrderError);
        let part = |text: &str| match text.split_once(':') {
            None => Ok(HostPart { host: host(text)?, length: None }),
            Some((own, length)) => {
                let length = length.parse().map_err(|_| ParseAxisOrderError)?;
                Ok(HostPart { host: host(own)?, length: Some(length) })
            }
        };
        let pair = |text: &str| {
            let (axis, hosts) = text.split_once('=').ok_or(ParseAxisOrderError)?;
            Ok((number(axis)?, hosts.split('x').map(part).collect::<Result<_, _>>()?))
        };
        Ok(Self { axes: order.split('/').map(pair).collect::<Result<_, _>>()?, is_folded })
    }
}
