// Style sheets are for the bundler; there is nothing in them to type.
declare module "*.css";
