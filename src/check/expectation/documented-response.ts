import { type DescribedResponse, responseFor } from '../described-operation.ts'
import { isJson } from '../plan/planned-body.ts'
import { type Expectation, type Violation, violation } from './expectation.ts'

/** Status, media type, body and headers are those of the document. */
export const documentedResponse: Expectation = (
  { operation, method },
  { status, headers, body },
  schemas,
) => {
  const described = responseFor(operation, status)
  if (!described && httpLayerStatuses.has(status)) return undefined
  if (!described) {
    const known = [...operation.responses.keys()].join(', ')
    return violation(
      'undocumented-status',
      `The status ${status} is not documented for ${operation.id}; ${known} are.`,
    )
  }
  return (
    headerViolation(described, headers, schemas) ??
    (method === 'HEAD'
      ? undefined
      : bodyViolation(described, status, headers['content-type'], body, schemas))
  )
}

/**
 * What the HTTP layer refuses before any operation is reached: too long a target, an unmet
 * `Expect`, too large a head.
 */
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
          `The header '${name}' is documented as required, and is missing.`,
        )
      continue
    }
    const wrong =
      schema &&
      headerValues(value).every((one) => schemas.validationError(schema, one) !== undefined)
    if (wrong)
      return violation('header-differs', `The header '${name}: ${value}' does not fit its schema.`)
  }
  return undefined
}

/** A header is text; its schema may speak of numbers. */
function headerValues(value: string): readonly unknown[] {
  return /^-?\d+(\.\d+)?$/.test(value) ? [value, Number(value)] : [value]
}

function bodyViolation(
  { content }: DescribedResponse,
  status: number,
  sentType: string | undefined,
  body: Buffer,
  schemas: Parameters<Expectation>[2],
): Violation | undefined {
  if (content.size === 0) {
    if (body.length === 0) return undefined
    return violation(
      'body-differs',
      `A body of ${body.length} bytes came with the status ${status}, where none is documented.`,
    )
  }
  const type = sentType?.toLowerCase()
  const found =
    type === undefined ? undefined : [...content.keys()].find((one) => isOfType(type, one))
  if (type === undefined || found === undefined) {
    const known = [...content.keys()].join(', ')
    return violation(
      'undocumented-media-type',
      `The media type '${sentType}' is not documented for the status ${status}; ${known} are.`,
    )
  }
  const schema = content.get(found)
  if (!schema || !isJson(type)) return undefined
  const value = parseJson(body)
  if (!value)
    return violation('body-differs', `The body is announced as ${sentType}, but is no JSON.`)
  const wrong = schemas.validationError(schema, value.json)
  return wrong === undefined
    ? undefined
    : violation(
        'body-differs',
        `The body of the status ${status} does not fit its schema: ${wrong}.`,
      )
}

/** A documented type without parameters stands for any; ranges are documented as `image/*`. */
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
