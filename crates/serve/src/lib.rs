//! The web server: records, live data and commands over HTTP, for a browser on the same machine.
