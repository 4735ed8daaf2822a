/** A value in a document, and the JSON Pointer that leads to it. */
export interface At<T = unknown> {
  readonly value: T
  readonly pointer: string
}

type Members = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Follows local references until there is none.
 * @throws Error when one leads nowhere, out of the document, or in a circle.
 */
export function followed(document: unknown, at: At): At {
  const passed = new Set<string>()
  let here = at
  while (isObject(here.value) && typeof here.value.$ref === 'string') {
    const { $ref } = here.value
    if (!$ref.startsWith('#') || passed.has($ref)) throw new Error(`The reference '${$ref}' cannot be followed.`)
    passed.add($ref)
    here = { value: resolved(document, $ref.slice(1)), pointer: $ref.slice(1) }
  }
  return here
}

/** A member of an object in the document, references followed; undefined where there is none. */
export function member(document: unknown, { value, pointer }: At, name: string): At | undefined {
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
  return followed(document, { value: value[name], pointer: `${pointer}/${escaped(name)}` })
}

/** The members of an object in the document, by name; references are followed. */
export function members(document: unknown, at: At | undefined): ReadonlyMap<string, At> {
  if (!at || !isObject(at.value)) return new Map()
  return new Map(Object.keys(at.value).map((name) => [name, member(document, at, name)!]))
}

function resolved(document: unknown, pointer: string): unknown {
  let value = document
  for (const step of pointer.split('/').slice(1).map(unescaped)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw new Error(`The reference '#${pointer}' leads nowhere.`)
    value = (value as Members)[step]
  }
  return value
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescaped(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}
