import { type DescribedResponse, responseFor } from '../described-operation.ts'
import { isJson } from '../plan/body.ts'
import { type Expectation, type Fault, fault } from './expectation.ts'

/** Status, media type, body and headers are those of the document. */
export const describedAnswer: Expectation = ({ operation, method }, { status, headers, body }, schemas) => {
  const described = responseFor(operation, status)
  if (!described && ofTheHost.has(status)) return undefined
  if (!described) {
    const known = [...operation.responses.keys()].join(', ')
    return fault('undocumented-status', `The status ${status} is not documented for ${operation.id}; ${known} are.`)
  }
  return (
    headerFault(described, headers, schemas) ??
    (method === 'HEAD' ? undefined : bodyFault(described, status, headers['content-type'], body, schemas))
  )
}

/** What the HTTP layer refuses before any operation is reached: too long a target, an unmet `Expect`, too large a head. */
const ofTheHost: ReadonlySet<number> = new Set([414, 417, 431])

function headerFault(
  { headers: described }: DescribedResponse,
  headers: Readonly<Record<string, string>>,
  schemas: Parameters<Expectation>[2],
): Fault | undefined {
  for (const [name, { required, schema }] of described) {
    const value = headers[name]
    if (value === undefined) {
      if (required) return fault('missing-header', `The header '${name}' is documented as required, and is missing.`)
      continue
    }
    const wrong = schema && headerValues(value).every((one) => schemas.fault(schema, one) !== undefined)
    if (wrong) return fault('header-differs', `The header '${name}: ${value}' does not fit its schema.`)
  }
  return undefined
}

/** A header is text; its schema may speak of numbers. */
function headerValues(value: string): readonly unknown[] {
  return /^-?\d+(\.\d+)?$/.test(value) ? [value, Number(value)] : [value]
}

function bodyFault(
  { content }: DescribedResponse,
  status: number,
  sentType: string | undefined,
  body: Buffer,
  schemas: Parameters<Expectation>[2],
): Fault | undefined {
  if (content.size === 0) {
    if (body.length === 0) return undefined
    return fault(
      'body-differs',
      `A body of ${body.length} bytes came with the status ${status}, where none is documented.`,
    )
  }
  const type = sentType?.toLowerCase()
  const found = type === undefined ? undefined : [...content.keys()].find((one) => isOfType(type, one))
  if (type === undefined || found === undefined) {
    const known = [...content.keys()].join(', ')
    return fault(
      'undocumented-media-type',
      `The media type '${sentType}' is not documented for the status ${status}; ${known} are.`,
    )
  }
  const schema = content.get(found)
  if (!schema || !isJson(type)) return undefined
  const value = parsed(body)
  if (!value) return fault('body-differs', `The body is announced as ${sentType}, but is no JSON.`)
  const wrong = schemas.fault(schema, value.json)
  return wrong === undefined
    ? undefined
    : fault('body-differs', `The body of the status ${status} does not fit its schema: ${wrong}.`)
}

/** A documented type without parameters stands for any; ranges are documented as `image/*`. */
function isOfType(sent: string, documented: string): boolean {
  if (sent === documented || documented === '*/*') return true
  const bare = sent.split(';')[0]!.trim()
  return bare === documented || (documented.endsWith('/*') && bare.startsWith(documented.slice(0, -1)))
}

function parsed(body: Buffer): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return undefined
  }
}
