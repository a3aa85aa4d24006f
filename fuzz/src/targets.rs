//! What the fuzz targets call: each function takes any bytes and panics where the program is wrong.

pub mod inputs;
