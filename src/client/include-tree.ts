/** Include paths by their relations: `author.books` is `{ author: { books: {} } }`. */
export interface IncludeTree {
  [relation: string]: IncludeTree
}

export function treeOf(paths: readonly string[]): IncludeTree {
  const root: IncludeTree = {}
  for (const path of paths) {
    let node = root
    for (const name of path.split('.')) {
      node[name] ??= {}
      node = node[name]
    }
  }
  return root
}
