import { type DescribedResponse, responseFor } from '../described-operation.ts'
import { isJson } from '../plan/planned-body.ts'
import { type Expectation, type Violation, violation } from './expectation.ts'

/** Status, media type, body and headers must match the document. */
export const documentedResponse: Expectation = (
  { operation, method },
  { status, headers, body },
  schemas,
) => {
  const described = responseFor(operation, status)
  if (!described && httpLayerStatuses.has(status)) return undefined
  if (!described) {
    const statuses = [...operation.responses.keys()].join(', ')
    return violation(
      'undocumented-status',
      `The status ${status} is not documented for ${operation.id}; expected one of ${statuses}.`,
    )
  }
  return (
    headerViolation(described, headers, schemas) ??
    (method === 'HEAD'
      ? undefined
      : bodyViolation(described, status, headers['content-type'], body, schemas))
  )
}

/** Errors of the HTTP layer, before the operation: long target, `Expect`, large headers. */
const httpLayerStatuses: ReadonlySet<number> = new Set([414, 417, 431])

function headerViolation(
  { headers: described }: DescribedResponse,
  headers: Readonly<Record<string, string>>,
  schemas: Parameters<Expectation>[2],
): Violation | undefined {
  for (const [name, { isRequired, schema }] of described) {
    const value = headers[name]
    if (value === undefined) {
      if (isRequired)
        return violation(
          'missing-header',
          `The response has no header '${name}', which the document requires.`,
        )
      continue
    }
    const wrong =
      schema &&
      headerValues(value).every(
        (candidate) => schemas.validationError(schema, candidate) !== undefined,
      )
    if (wrong)
      return violation(
        'header-differs',
        `The header '${name}: ${value}' does not match its schema.`,
      )
  }
  return undefined
}

/** The schema of a header may describe a number. */
function headerValues(value: string): readonly unknown[] {
  return /^-?\d+(\.\d+)?$/.test(value) ? [value, Number(value)] : [value]
}

function bodyViolation(
  { content }: DescribedResponse,
  status: number,
  contentType: string | undefined,
  body: Buffer,
  schemas: Parameters<Expectation>[2],
): Violation | undefined {
  if (content.size === 0) {
    if (body.length === 0) return undefined
    return violation(
      'body-differs',
      `The response with status ${status} has a body of ${body.length} bytes; the document has none.`,
    )
  }
  const type = contentType?.toLowerCase()
  const documentedType =
    type === undefined
      ? undefined
      : [...content.keys()].find((documented) => isOfType(type, documented))
  if (type === undefined || documentedType === undefined) {
    const types = [...content.keys()].join(', ')
    return violation(
      'undocumented-media-type',
      `The media type '${contentType}' is not documented for the status ${status}; expected one of ${types}.`,
    )
  }
  const schema = content.get(documentedType)
  if (!schema || !isJson(type)) return undefined
  const value = parseJson(body)
  if (!value)
    return violation(
      'body-differs',
      `The Content-Type is ${contentType}, but the body is not JSON.`,
    )
  const wrong = schemas.validationError(schema, value.json)
  return wrong === undefined
    ? undefined
    : violation(
        'body-differs',
        `The body of the status ${status} does not match its schema: ${wrong}.`,
      )
}

/** A documented type without parameters matches any parameters; `image/*` is a range. */
function isOfType(sent: string, documented: string): boolean {
  if (sent === documented || documented === '*/*') return true
  const bare = sent.split(';')[0]!.trim()
  return (
    bare === documented || (documented.endsWith('/*') && bare.startsWith(documented.slice(0, -1)))
  )
}

function parseJson(body: Buffer): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return undefined
  }
}
