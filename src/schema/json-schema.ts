/** The keywords of JSON Schema 2020-12 that the library reads. Others stay as they are. */
export interface JsonSchema {
  readonly type?: JsonType | readonly JsonType[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: JsonSchema | boolean
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly deprecated?: boolean
  readonly $ref?: string
  /** A named schema. Documents write it once, and a `$ref` to it here. */
  readonly component?: SchemaComponent
  readonly [keyword: string]: unknown
}

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/**
 * A schema that a document writes once, under its name. It is created when it is first read, so
 * that models can refer to each other.
 */
export interface SchemaComponent {
  /** In PascalCase. If two components share a name, the one of a model keeps it. */
  readonly name: string
  readonly rank: 'model' | 'part' | 'service'
  readonly schema: () => JsonSchema
  /** Replaces the schema in responses whose members clients cannot select. */
  readonly completeSchema: JsonSchema | undefined
}

/**
 * Creates a named schema.
 *
 * ```ts
 * const problemList = component('ProblemList', 'service', () => ({
 *   type: 'array',
 *   items: { type: 'object', properties: problemMembers },
 * }))
 * ```
 *
 * @param rank `model` for the items of a model, `part` for a schema inside them, `service` for the
 * others
 */
export function component(
  name: string,
  rank: SchemaComponent['rank'],
  create: () => JsonSchema,
  completeSchema?: JsonSchema,
): JsonSchema {
  let created: JsonSchema | undefined
  const schema = () => {
    created ??= create()
    return created
  }
  return Object.freeze({ component: Object.freeze({ name, rank, schema, completeSchema }) })
}
