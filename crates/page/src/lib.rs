//! The page that people look at: figures as SVG, and the report made of them. Pure functions of a record.
