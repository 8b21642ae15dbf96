/** A plugin of the build: `jsonc-parser` makes a thousand texts as it is loaded, for a formatter that is not used. */
export const unformatted: Bun.BunPlugin = {
  name: "no texts for a formatter",
  setup(builder) {
    builder.onLoad({ filter: /jsonc-parser\/.*\/string-intern\.js$/ }, () => ({
      contents: "export let cachedSpaces, cachedBreakLinesWithSpaces, supportedEols;",
      loader: "js",
    }));
  },
};
