import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { closed } from './closed-schema.ts'

/**
 * `closed` where objects must have no members beside those that are named: documents leave
 * responses open, so that they can grow, but what is sent today they have to name.
 */
export type Members = 'as written' | 'closed'

/** A schema that others refer to by its id, which depends on its text and on what it refers to. */
export interface SchemaWithId {
  readonly id: string
  readonly text: string
}

/**
 * Compiles schemas, each text once. Documents have most of their schemas in common, those of other
 * test files of the process too, and to compile one takes as long as hundreds of responses.
 */
export class SchemaLibrary {
  readonly #members: Members
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    validateFormats: true,
    // It would compile the schema of schemas each time, and compare nothing of a document with it.
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    // What several schemas refer to is compiled once.
    inlineRefs: false,
  })
  readonly #ids = new Set<string>()
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(members: Members) {
    this.#members = members
    formats.default(this.#ajv)
    this.#ajv.addFormat('decimal', /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/)
  }

  get size(): number {
    return this.#ids.size + this.#compiled.size
  }

  /** @param referred with what they refer to themselves */
  validator(text: string, referred: Iterable<SchemaWithId>): ValidateFunction {
    const existing = this.#compiled.get(text)
    if (existing) return existing
    for (const { id, text } of referred) {
      if (this.#ids.has(id)) continue
      this.#ids.add(id)
      this.#ajv.addSchema(this.#schema(text), id)
    }
    const validate = this.#ajv.compile(this.#schema(text))
    this.#compiled.set(text, validate)
    return validate
  }

  errorsOf({ errors }: ValidateFunction): string {
    return this.#ajv.errorsText(errors, { dataVar: 'body' })
  }

  #schema(text: string): object {
    const schema: object = JSON.parse(text)
    return this.#members === 'closed' ? closed(schema) : schema
  }
}
