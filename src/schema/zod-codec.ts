import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CodedSchema } from './schema-codec.ts'
import { jsonSchemaOf, type Schema } from './standard-schema.ts'

/**
 * The codecs of zod 4.1 and later (`z.codec`, `z.stringbool`), also inside objects, arrays and
 * optional values. Undefined for any other schema.
 * @throws TypeError if a part of the schema works in one direction only, or is none of zod
 */
export function readZodCodec(schema: Schema): CodedSchema | undefined {
  if (!isZodSchema(schema)) return undefined
  const parts = [...partsOf(schema, new Set())]
  if (!parts.some(isCodec)) return undefined
  refuseOneWay(schema, parts)
  const encode = (value: unknown): unknown => {
    const result = schema.safeEncode(value)
    return result.success ? result.data : value
  }
  const codec = {
    decode: (stored: unknown) => {
      const result = schema['~standard'].validate(stored)
      return 'then' in result || result.issues ? stored : result.value
    },
    encode,
  }
  return { schema: withEncodedOutput(schema), codec }
}

/** A schema that reads JSON, and returns JSON as the codec writes it. */
function withEncodedOutput(schema: ZodSchema): Schema {
  return Object.freeze({
    '~standard': {
      version: 1 as const,
      vendor: 'resourcery',
      validate: (value: unknown) => {
        const result = schema['~standard'].validate(value)
        return 'then' in result
          ? result.then(async (settled) =>
              settled.issues ? settled : toResult(await schema.safeEncodeAsync(settled.value)),
            )
          : result.issues
            ? result
            : toResult(schema.safeEncode(result.value))
      },
      jsonSchema: {
        input: () => ({ ...jsonSchemaOf(schema, 'input') }),
        output: () => ({ ...jsonSchemaOf(schema, 'input') }),
      },
    },
  })
}

function toResult(result: EncodeResult): StandardSchemaV1.Result<unknown> {
  return result.success ? { value: result.data } : { issues: result.error.issues }
}

/** The parts of zod's schemas that are documented for other packages (`zod/v4/core`). */
interface ZodSchema extends Schema {
  readonly _zod: { readonly def: ZodDefinition }
  safeEncode(value: unknown): EncodeResult
  safeEncodeAsync(value: unknown): Promise<EncodeResult>
}

interface ZodDefinition {
  readonly type?: string
  readonly [member: string]: unknown
}

type EncodeResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly StandardIssue[] } }

type StandardIssue = StandardSchemaV1.Issue

function isZodSchema(schema: Schema): schema is ZodSchema {
  return schema['~standard'].vendor === 'zod' && '_zod' in schema
}

/** Everything that the schema is made of, each once. */
function* partsOf(value: unknown, seen: Set<unknown>): Generator<ZodDefinition> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  refuseOwnSchema(value)
  if ('_zod' in value) {
    const { def } = (value as ZodSchema)._zod
    yield def
    if (def.type === 'lazy') yield* partsOf((def.getter as () => unknown)(), seen)
    for (const member of Object.values(def)) yield* partsOf(member, seen)
  } else if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
    for (const member of Object.values(value)) yield* partsOf(member, seen)
}

/** Schemas of zod read each other by their internals, which those of this package do not have. */
function refuseOwnSchema(part: object): void {
  if ('~standard' in part && (part as Schema)['~standard'].vendor === 'resourcery')
    throw new TypeError(
      'has a schema of resourcery, such as decimal(), inside a schema of zod. Use list() instead of z.array(), and struct() instead of z.object().',
    )
}

function isCodec({ type, reverseTransform }: ZodDefinition): boolean {
  return type === 'pipe' && typeof reverseTransform === 'function'
}

const oneWayTypes: Readonly<Record<string, string>> = {
  transform: 'transform() or preprocess()',
  catch: 'catch()',
}

function refuseOneWay(schema: ZodSchema, parts: readonly ZodDefinition[]): void {
  const oneWay = parts.map(({ type = '' }) => oneWayTypes[type]).find(Boolean)
  if (oneWay)
    throw new TypeError(
      `has a codec and ${oneWay}, which cannot be reversed. Make it a codec too: z.codec(input, output, { decode, encode }).`,
    )
  const isAsync = parts.some((part) => Object.values(part).some(isAsyncFunction))
  if (isAsync)
    throw new TypeError(
      'has a codec with asynchronous functions, but code reads items without waiting. Make the functions synchronous.',
    )
  if (typeof schema.safeEncode !== 'function')
    throw new TypeError(
      "has a codec of 'zod/mini', whose schemas cannot encode by themselves. Import z from 'zod'.",
    )
}

function isAsyncFunction(value: unknown): boolean {
  return typeof value === 'function' && value.constructor.name === 'AsyncFunction'
}
