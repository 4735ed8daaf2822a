/** The part of JSON Schema 2020-12 that descriptions and documents use. Unknown keywords pass through untouched. */
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
  readonly [keyword: string]: unknown
}

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'
