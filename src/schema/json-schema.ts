/**
 * The part of JSON Schema 2020-12 that descriptions and documents use. Unknown keywords pass
 * through untouched.
 */
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
  /**
   * Stands for a `$ref` to a schema of its own; a document puts in the address where it writes that
   * down.
   */
  readonly component?: SchemaComponent
  readonly [keyword: string]: unknown
}

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/**
 * A schema that a document writes once, under its name, and refers to wherever it stands. It is
 * made when it is first looked at, so that models can point at each other.
 */
export interface SchemaComponent {
  /** In PascalCase. Where two would share a name, that of a model stays. */
  readonly name: string
  readonly rank: 'model' | 'part' | 'service'
  readonly schema: () => JsonSchema
  /** What stands in its place where clients cannot choose the members of items. */
  readonly completeSchema: JsonSchema | undefined
}

/**
 * A schema to be referred to by name: `model` for what a model itself looks like, `part` for what
 * is made of it, `service` for the rest.
 */
export function component(
  name: string,
  rank: SchemaComponent['rank'],
  make: () => JsonSchema,
  whole?: JsonSchema,
): JsonSchema {
  let made: JsonSchema | undefined
  const schema = () => {
    made ??= make()
    return made
  }
  return Object.freeze({ component: Object.freeze({ name, rank, schema, completeSchema: whole }) })
}
