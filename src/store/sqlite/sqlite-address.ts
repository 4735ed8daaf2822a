/**
 * The file that an address names: `sqlite:data/shop.db` and `sqlite://data/shop.db` are one file,
 * and `sqlite:///srv/shop.db` is an absolute path. Undefined if it is no address of SQLite.
 */
export function sqliteFileAt(address: string): string | undefined {
  return /^sqlite:(?:\/\/)?(.*)$/s.exec(address)?.[1]
}
