import type { HeaderName } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** What is said of a header. */
export interface HeaderDescription {
  /** As it is usually written. */
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

const textSchema: JsonSchema = Object.freeze({ type: 'string' })
const addressSchema: JsonSchema = Object.freeze({ type: 'string', format: 'uri-reference' })

/** What each header says; clients learn the rest from the RFC that is named. */
export const headerDescriptions: Readonly<Record<HeaderName, HeaderDescription>> = {
  'accept-encoding': {
    name: 'Accept-Encoding',
    description: 'The content codings that bodies may be sent in (RFC 9110 §12.5.3).',
    schema: textSchema,
  },
  'accept-patch': {
    name: 'Accept-Patch',
    description: 'The media types that a change may be sent in (RFC 5789 §3.1).',
    schema: textSchema,
  },
  'accept-ranges': {
    name: 'Accept-Ranges',
    description: 'The units that parts can be asked for in (RFC 9110 §14.3).',
    schema: { type: 'string', const: 'bytes' },
  },
  allow: {
    name: 'Allow',
    description: 'The methods that the address answers (RFC 9110 §10.2.1).',
    schema: textSchema,
  },
  'cache-control': {
    name: 'Cache-Control',
    description:
      'Who may keep the answer: `private`, only its own caller; with `no-cache`, who asks each time whether it is still current; `no-store`, nobody (RFC 9111 §5.2).',
    schema: textSchema,
  },
  'content-disposition': {
    name: 'Content-Disposition',
    description: 'Whether to show or to save it, and under which name (RFC 6266).',
    schema: textSchema,
  },
  'content-length': {
    name: 'Content-Length',
    description: 'How many bytes there are (RFC 9110 §8.6).',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'content-range': {
    name: 'Content-Range',
    description: 'Which part it is, and of how many bytes (RFC 9110 §14.4).',
    schema: { type: 'string', pattern: '^bytes (?:\\d+-\\d+|\\*)/\\d+$' },
  },
  'content-security-policy': {
    name: 'Content-Security-Policy',
    description: 'What browsers must not let it do, where it could do something.',
    schema: textSchema,
  },
  etag: {
    name: 'ETag',
    description:
      'The version of what is answered, for `If-None-Match` and, where it is strong, `If-Match` (RFC 9110 §8.8.3).',
    schema: { type: 'string', pattern: '^(?:W/)?"[^"]*"$' },
  },
  link: {
    name: 'Link',
    description:
      'The pages around this one: `first`, `prev`, `next` and, where the total is known, `last` (RFC 8288).',
    schema: textSchema,
  },
  location: {
    name: 'Location',
    description: 'The address of what was created (RFC 9110 §10.2.2).',
    schema: addressSchema,
  },
  'repr-digest': {
    name: 'Repr-Digest',
    description:
      'The SHA-256 of all of the bytes, where `Want-Repr-Digest` asks for it (RFC 9530 §3).',
    schema: textSchema,
  },
  'retry-after': {
    name: 'Retry-After',
    description: 'After how many seconds to try again (RFC 9110 §10.2.3).',
    schema: textSchema,
  },
  'www-authenticate': {
    name: 'WWW-Authenticate',
    description: 'How to prove who is asking (RFC 9110 §11.6.1).',
    schema: textSchema,
  },
}

/** Headers of every document. */
export const documentHeaders: Readonly<
  Record<'vary' | 'x-content-type-options', HeaderDescription>
> = {
  vary: {
    name: 'Vary',
    description: 'The headers of the request that the answer depends on (RFC 9110 §12.5.5).',
    schema: textSchema,
  },
  'x-content-type-options': {
    name: 'X-Content-Type-Options',
    description: 'The media type is the one that is said.',
    schema: { type: 'string', enum: ['nosniff'] },
  },
}
