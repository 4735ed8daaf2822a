import fc from 'fast-check'
import { isDependentSchema, noSuchItem } from '../arbitrary/identifier-value.ts'
import type { ServiceState } from '../arbitrary/service-state.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { CompiledSchemas } from '../compiled-schemas.ts'
import type { DescribedOperation } from '../described-operation.ts'
import type { DocumentNode } from '../document-node.ts'

/** A body with its media type. `isValid` is undefined if the schema cannot decide. */
export interface PlannedBody {
  readonly contentType: string | undefined
  readonly content: string | Uint8Array | undefined
  readonly isValid: boolean | undefined
}

export const noPlannedBody: PlannedBody = {
  contentType: undefined,
  content: undefined,
  isValid: undefined,
}

/** Bodies of an operation: JSON of generated values, or random bytes. */
export function plannedBodies(
  state: ServiceState,
  schemas: CompiledSchemas,
  { body }: DescribedOperation,
  change: (values: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>,
): fc.Arbitrary<PlannedBody> {
  if (!body || body.content.size === 0) return fc.constant(noPlannedBody)
  const ofOneItem = [...body.content].find(([type, schema]) => schema && isJson(type))?.[1]
  return fc.oneof(
    ...[...body.content].map(([type, schema]) =>
      type === linesType && ofOneItem
        ? fc.oneof(
            bodiesOfLines(state, ofOneItem, change),
            bodiesOfType(state, schemas, type, schema, change),
          )
        : bodiesOfType(state, schemas, type, schema, change),
    ),
  )
}

const linesType = 'application/jsonl'

/** A few items, each as a document with one item has it in its first member. */
function bodiesOfLines(
  state: ServiceState,
  { value: schema }: DocumentNode,
  change: (values: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>,
): fc.Arbitrary<PlannedBody> {
  const items = change(validValue(state, schema)).map((document) =>
    typeof document === 'object' && document !== null ? Object.values(document)[0] : document,
  )
  return fc.array(items, { minLength: 1, maxLength: 4 }).map((lines) => ({
    contentType: linesType,
    content: lines.map((line) => JSON.stringify(line) ?? 'null').join('\n'),
    isValid: undefined,
  }))
}

function bodiesOfType(
  state: ServiceState,
  schemas: CompiledSchemas,
  type: string,
  schema: DocumentNode | undefined,
  change: (values: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>,
): fc.Arbitrary<PlannedBody> {
  if (schema && isJson(type)) {
    return change(validValue(state, schema.value)).map((value) => ({
      contentType: type,
      content: JSON.stringify(value),
      isValid: isKnownValid(schemas, schema, value),
    }))
  }
  const bytes = fc.uint8Array({ maxLength: 2_000 })
  if (type === 'multipart/form-data') return bytes.map((content) => multipartBody(content))
  return bytes.map((content) => ({
    contentType: type.includes('*') ? 'application/octet-stream' : type,
    content,
    isValid: undefined,
  }))
}

function isKnownValid(
  schemas: CompiledSchemas,
  schema: DocumentNode,
  value: unknown,
): boolean | undefined {
  if (schemas.validationError(schema, JSON.parse(JSON.stringify(value))) !== undefined) return false
  return isDependentSchema(schema.value) || JSON.stringify(value).includes(noSuchItem)
    ? undefined
    : true
}

/** `application/json` and types with the suffix `+json` (RFC 6839 §3.1). */
export function isJson(type: string): boolean {
  return /^[^;]*[/+]json\b/.test(type)
}

const boundary = 'resourcery-check'

function multipartBody(content: Uint8Array): PlannedBody {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    isValid: undefined,
  }
}
