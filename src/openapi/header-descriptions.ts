import type { HeaderName } from '../rule/response-shape.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** The documentation of a header. */
export interface HeaderDescription {
  /** In the usual capitalization. */
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

const textSchema: JsonSchema = Object.freeze({ type: 'string' })
const addressSchema: JsonSchema = Object.freeze({ type: 'string', format: 'uri-reference' })

/** The documentation of each header, with the RFC that defines it. */
export const headerDescriptions: Readonly<Record<HeaderName, HeaderDescription>> = {
  'accept-encoding': {
    name: 'Accept-Encoding',
    description: 'The content codings of bodies that the service accepts (RFC 9110 §12.5.3).',
    schema: textSchema,
  },
  'accept-patch': {
    name: 'Accept-Patch',
    description: 'The media types of PATCH bodies that the service accepts (RFC 5789 §3.1).',
    schema: textSchema,
  },
  'accept-query': {
    name: 'Accept-Query',
    description: 'The media types of QUERY bodies that the service accepts (RFC 10008 §3).',
    schema: textSchema,
  },
  'accept-ranges': {
    name: 'Accept-Ranges',
    description: 'The range units that the service supports (RFC 9110 §14.3).',
    schema: { type: 'string', const: 'bytes' },
  },
  allow: {
    name: 'Allow',
    description: 'The methods that the URL supports (RFC 9110 §10.2.1).',
    schema: textSchema,
  },
  'cache-control': {
    name: 'Cache-Control',
    description:
      'Which caches may store the response: with `private` only that of its client, with `no-store` none. `no-cache` requires revalidation (RFC 9111 §5.2).',
    schema: textSchema,
  },
  'changes-position': {
    name: 'Changes-Position',
    description:
      'The position in the log of changes before the items were read: a client that reads changes since then misses none.',
    schema: textSchema,
  },
  'content-disposition': {
    name: 'Content-Disposition',
    description: 'Whether to display or to save the file, and its name (RFC 6266).',
    schema: textSchema,
  },
  'content-length': {
    name: 'Content-Length',
    description: 'The number of bytes (RFC 9110 §8.6).',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'content-location': {
    name: 'Content-Location',
    description: 'The URL of what the body represents (RFC 9110 §8.7).',
    schema: addressSchema,
  },
  'content-range': {
    name: 'Content-Range',
    description: 'The byte range and the total size (RFC 9110 §14.4).',
    schema: { type: 'string', pattern: '^bytes (?:\\d+-\\d+|\\*)/\\d+$' },
  },
  'content-security-policy': {
    name: 'Content-Security-Policy',
    description: 'Restrictions for browsers that display the content.',
    schema: textSchema,
  },
  etag: {
    name: 'ETag',
    description:
      'The version of the content, for `If-None-Match` and, if it is strong, `If-Match` (RFC 9110 §8.8.3).',
    schema: { type: 'string', pattern: '^(?:W/)?"[^"]*"$' },
  },
  link: {
    name: 'Link',
    description:
      'Links to other pages: `first`, `prev`, `next` and, if the total is known, `last` (RFC 8288).',
    schema: textSchema,
  },
  location: {
    name: 'Location',
    description:
      'The URL of the new item (RFC 9110 §10.2.2), or where GET has the response to QUERY (RFC 10008 §2.4).',
    schema: addressSchema,
  },
  'preference-applied': {
    name: 'Preference-Applied',
    description: 'The preferences of `Prefer` that the response follows (RFC 7240 §3).',
    schema: textSchema,
  },
  'repr-digest': {
    name: 'Repr-Digest',
    description:
      'The SHA-256 of the complete content, if the request has `Want-Repr-Digest` (RFC 9530 §3).',
    schema: textSchema,
  },
  'retry-after': {
    name: 'Retry-After',
    description: 'Seconds to wait before the next attempt (RFC 9110 §10.2.3).',
    schema: textSchema,
  },
  vary: {
    name: 'Vary',
    description: 'The request headers that the response depends on (RFC 9110 §12.5.5).',
    schema: textSchema,
  },
  'www-authenticate': {
    name: 'WWW-Authenticate',
    description: 'Accepted authentication schemes (RFC 9110 §11.6.1).',
    schema: textSchema,
  },
  'x-accel-buffering': {
    name: 'X-Accel-Buffering',
    description: '`no` for a stream: proxies send each part of it at once.',
    schema: { type: 'string', enum: ['no'] },
  },
}

/** Headers of every document. */
export const documentHeaders: Readonly<
  Record<'vary' | 'x-content-type-options', HeaderDescription>
> = {
  vary: headerDescriptions.vary,
  'x-content-type-options': {
    name: 'X-Content-Type-Options',
    description: 'Browsers must not guess another media type.',
    schema: { type: 'string', enum: ['nosniff'] },
  },
}
