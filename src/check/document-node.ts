/** A value in a document, and the JSON Pointer that leads to it. */
export interface DocumentNode<T = unknown> {
  readonly value: T
  readonly pointer: string
}

type Members = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Follows local references until there is none.
 * @throws Error when one leads nowhere, out of the document, or in a circle.
 */
export function followReferences(document: unknown, at: DocumentNode): DocumentNode {
  const passed = new Set<string>()
  let here = at
  while (isRecord(here.value) && typeof here.value.$ref === 'string') {
    const { $ref } = here.value
    if (!$ref.startsWith('#') || passed.has($ref))
      throw new Error(`The reference '${$ref}' cannot be followed.`)
    passed.add($ref)
    here = { value: resolvePointerText(document, $ref.slice(1)), pointer: $ref.slice(1) }
  }
  return here
}

/** A member of an object in the document, references followed; undefined where there is none. */
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

/** The members of an object in the document, by name; references are followed. */
export function memberNodes(
  document: unknown,
  at: DocumentNode | undefined,
): ReadonlyMap<string, DocumentNode> {
  if (!at || !isRecord(at.value)) return new Map()
  return new Map(Object.keys(at.value).map((name) => [name, memberNode(document, at, name)!]))
}

function resolvePointerText(document: unknown, pointer: string): unknown {
  let value = document
  for (const step of pointer.split('/').slice(1).map(unescapeToken)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw new Error(`The reference '#${pointer}' leads nowhere.`)
    value = (value as Members)[step]
  }
  return value
}

function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapeToken(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}
