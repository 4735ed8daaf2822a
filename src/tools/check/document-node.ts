/** A value in a document, and its JSON Pointer. */
export interface DocumentNode<T = unknown> {
  readonly value: T
  readonly pointer: string
}

type Members = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Resolves local references.
 * @throws Error if one does not resolve, points outside the document, or is circular
 */
export function followReferences(document: unknown, node: DocumentNode): DocumentNode {
  const followed = new Set<string>()
  let current = node
  while (isRecord(current.value) && typeof current.value.$ref === 'string') {
    const { $ref } = current.value
    if (!$ref.startsWith('#') || followed.has($ref))
      throw new Error(`The reference '${$ref}' points outside the document, or is circular.`)
    followed.add($ref)
    current = { value: resolvePointerText(document, $ref.slice(1)), pointer: $ref.slice(1) }
  }
  return current
}

/** A member of an object in the document, with resolved references. */
export function memberNode(
  document: unknown,
  { value, pointer }: DocumentNode,
  name: string,
): DocumentNode | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined
  return followReferences(document, {
    value: value[name],
    pointer: `${pointer}/${escapeToken(name)}`,
  })
}

/** The members of an object in the document by name, with resolved references. */
export function memberNodes(
  document: unknown,
  node: DocumentNode | undefined,
): ReadonlyMap<string, DocumentNode> {
  if (!node || !isRecord(node.value)) return new Map()
  return new Map(Object.keys(node.value).map((name) => [name, memberNode(document, node, name)!]))
}

function resolvePointerText(document: unknown, pointer: string): unknown {
  let value = document
  for (const step of pointer.split('/').slice(1).map(unescapeToken)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw new Error(`The reference '#${pointer}' does not resolve.`)
    value = (value as Members)[step]
  }
  return value
}

/** A step of a JSON Pointer (RFC 6901). */
export function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapeToken(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}
