import { createHash } from 'node:crypto'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from 'resourcery/openapi'
import { valueAt } from './document.ts'
import { type Members, SchemaLibrary, type SchemaWithId } from './schema-library.ts'

/**
 * Validates values by schemas of a document, which are found by JSON Pointers and compiled when
 * first needed.
 */
export interface DocumentSchemas {
  /** The errors of the value; undefined when there are none. */
  fault(pointer: string, value: unknown): string | undefined
}

export function documentSchemas(document: OpenApiDocument, members: Members): DocumentSchemas {
  const components = new DocumentComponents(document)
  const validators = new Map<string, ValidateFunction>()
  const validatorAt = (pointer: string): ValidateFunction => {
    const { text, names } = components.withIds(JSON.stringify(valueAt(document, pointer)))
    const validate = libraryOf(members).validator(text, components.referred(names))
    validators.set(pointer, validate)
    return validate
  }
  return {
    fault: (pointer, value) => {
      const validate = validators.get(pointer) ?? validatorAt(pointer)
      return validate(value) ? undefined : libraryOf(members).errorsOf(validate)
    },
  }
}

const maxSchemas = 5_000
const libraries = new Map<Members, SchemaLibrary>()

/** One for all documents, until it is too large. */
function libraryOf(members: Members): SchemaLibrary {
  const existing = libraries.get(members)
  if (existing && existing.size < maxSchemas) return existing
  const made = new SchemaLibrary(members)
  libraries.set(members, made)
  return made
}

/** A reference to a component, in JSON text. */
const reference = /"\$ref":"#\/components\/schemas\/([\w.-]+)"/g

/** The schema components of a document, with ids that are the same in every document. */
class DocumentComponents {
  readonly #schemas: Readonly<Record<string, unknown>>
  readonly #texts = new Map<string, string>()
  readonly #ids = new Map<string, string>()

  constructor({ components }: OpenApiDocument) {
    this.#schemas = components.schemas ?? {}
  }

  /** The text with ids in place of references, and the names of the components. */
  withIds(text: string): { readonly text: string; readonly names: ReadonlySet<string> } {
    const names = this.#namesIn(text)
    return {
      names,
      text: text.replaceAll(reference, (whole, name) =>
        names.has(name) ? `"$ref":"${this.#idOf(name)}"` : whole,
      ),
    }
  }

  /** The components, with those that they refer to. */
  *referred(names: ReadonlySet<string>): Iterable<SchemaWithId> {
    for (const name of this.#closure(names))
      yield { id: this.#idOf(name), text: this.withIds(this.#textOf(name)).text }
  }

  #namesIn(text: string): ReadonlySet<string> {
    const names = Array.from(text.matchAll(reference), ([, name]) => name!)
    // Where there is no such component, the compiler says so.
    return new Set(names.filter((name) => this.#schemas[name] !== undefined))
  }

  #closure(names: Iterable<string>): ReadonlySet<string> {
    const closure = new Set(names)
    // The set grows while it is read.
    for (const name of closure)
      for (const next of this.#namesIn(this.#textOf(name))) closure.add(next)
    return closure
  }

  #textOf(name: string): string {
    const text = this.#texts.get(name) ?? JSON.stringify(this.#schemas[name])
    this.#texts.set(name, text)
    return text
  }

  /** Components with equal texts differ where components that they refer to differ. */
  #idOf(name: string): string {
    const existing = this.#ids.get(name)
    if (existing) return existing
    const hash = createHash('sha256')
    for (const other of this.#closure([name])) hash.update(`${other} ${this.#textOf(other)}\n`)
    const id = `https://document.test/${hash.digest('base64url')}`
    this.#ids.set(name, id)
    return id
  }
}
