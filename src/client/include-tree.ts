/** Include paths by their relations: `author.books` is `{ author: { books: {} } }`. */
export interface IncludeTree {
  [relation: string]: IncludeTree
}

export function treeOf(paths: readonly string[]): IncludeTree {
  // Names of relations come from callers, and may be those of the prototype.
  const root: IncludeTree = Object.create(null)
  for (const path of paths) {
    let node = root
    for (const name of path.split('.')) {
      node[name] ??= Object.create(null) as IncludeTree
      node = node[name]
    }
  }
  return root
}
