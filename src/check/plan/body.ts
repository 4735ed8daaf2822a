import fc from 'fast-check'
import { dependsOnOthers, noSuchItem } from '../arbitrary/identifier-value.ts'
import type { Known } from '../arbitrary/known.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { DescribedOperation } from '../described-operation.ts'
import type { At } from '../node-at.ts'
import type { Schemas } from '../schemas.ts'

/** A body with its type; `fits` where its schema says all about it, and it fits or not. */
export interface PlannedBody {
  readonly type: string | undefined
  readonly content: string | Uint8Array | undefined
  readonly fits: boolean | undefined
}

export const noBody: PlannedBody = { type: undefined, content: undefined, fits: undefined }

/** Bodies of the operation: JSON as the values are made, and bytes where a body is no JSON. */
export function bodies(
  known: Known,
  schemas: Schemas,
  { body }: DescribedOperation,
  change: (values: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>,
): fc.Arbitrary<PlannedBody> {
  if (!body || body.content.size === 0) return fc.constant(noBody)
  return fc.oneof(...[...body.content].map(([type, schema]) => ofType(known, schemas, type, schema, change)))
}

function ofType(
  known: Known,
  schemas: Schemas,
  type: string,
  schema: At | undefined,
  change: (values: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>,
): fc.Arbitrary<PlannedBody> {
  if (schema && isJson(type)) {
    return change(validValue(known, schema.value)).map((value) => ({
      type,
      content: JSON.stringify(value),
      fits: fitness(schemas, schema, value),
    }))
  }
  const bytes = fc.uint8Array({ maxLength: 2_000 })
  if (type === 'multipart/form-data') return bytes.map((content) => multipart(content))
  return bytes.map((content) => ({
    type: type.includes('*') ? 'application/octet-stream' : type,
    content,
    fits: undefined,
  }))
}

function fitness(schemas: Schemas, schema: At, value: unknown): boolean | undefined {
  if (schemas.fault(schema, JSON.parse(JSON.stringify(value))) !== undefined) return false
  return dependsOnOthers(schema.value) || JSON.stringify(value).includes(noSuchItem) ? undefined : true
}

/** `application/json`, and what is written in it (RFC 6839 §3.1). */
export function isJson(type: string): boolean {
  return /^[^;]*[/+]json\b/.test(type)
}

const boundary = 'resourcery-check'

function multipart(content: Uint8Array): PlannedBody {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    content: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    fits: undefined,
  }
}
