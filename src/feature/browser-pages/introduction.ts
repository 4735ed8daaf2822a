import type { OpenApiDocument } from '../../openapi/document.ts'
import type { SecurityScheme } from '../../rule/declaration.ts'

/** Stands for the address of the service, which the page knows. */
export const originPlaceholder = '{origin}'

interface IntroductionOptions {
  readonly hasStartPage: boolean
  /** Are there operations or members for callers with credentials? */
  readonly hasMore: boolean
}

/**
 * The Markdown with which the documentation page begins: a link to the start page, a first request,
 * and how to send credentials.
 */
export function introductionOf(
  document: OpenApiDocument,
  { hasStartPage, hasMore }: IntroductionOptions,
): string {
  return [
    // Relative to the documentation page.
    ...(hasStartPage ? ['[Start page](./)'] : []),
    ...firstRequest(document),
    ...credentials(document, hasMore),
  ].join('\n\n')
}

function firstRequest({ paths, servers, tags }: OpenApiDocument): readonly string[] {
  const [server] = servers
  const lists = Object.entries(paths).filter(([path, item]) => item.get && !path.includes('{'))
  const firstTag = tags.find(({ name }) => lists.some(([, { get }]) => get!.tags[0] === name))
  const first =
    lists.find(([, { get }]) => get!.tags[0] === firstTag?.name && isPublic(get!)) ??
    lists.find(([, { get }]) => isPublic(get!)) ??
    lists[0]
  if (!server || !first) return []
  const [path, { get }] = first
  const address = /^https?:/.test(server.url) ? server.url : originPlaceholder + server.url
  const query = hasPages(get!) ? '?page[size]=5' : ''
  return [
    `## The first request\n\n\`\`\`sh\ncurl -g '${address.replace(/\/$/, '')}${path}${query}'\n\`\`\``,
  ]
}

type Operation = NonNullable<OpenApiDocument['paths'][string]['get']>

function isPublic({ security }: Operation): boolean {
  return security === undefined || security.length === 0 || security.some(isEmpty)
}

function isEmpty(requirement: object): boolean {
  return Object.keys(requirement).length === 0
}

function hasPages({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) =>
    '$ref' in parameter
      ? /page\W*size/i.test(parameter.$ref)
      : parameter.name === 'page[size]' || parameter.name === 'page',
  )
}

function credentials({ components }: OpenApiDocument, hasMore: boolean): readonly string[] {
  const schemes = Object.values(components?.securitySchemes ?? {})
  const lines = schemes.flatMap((scheme) => sentenceOf(scheme as SecurityScheme))
  if (lines.length === 0) return []
  const more = hasMore
    ? ['This page lists what you may call and see: without credentials, what everyone may.']
    : []
  const list = [...new Set(lines)].map((line) => `- ${line}`).join('\n')
  return ['## Credentials', ...more, list]
}

/** What to send, and what the service says about it, such as where callers get it. */
function sentenceOf(scheme: SecurityScheme): readonly string[] {
  const { description } = scheme
  const lines = howToSend(scheme)
  return description === undefined ? lines : lines.map((line) => `${line}: ${description}`)
}

function howToSend(scheme: SecurityScheme): readonly string[] {
  switch (scheme.type) {
    case 'http':
      return scheme.scheme.toLowerCase() === 'basic'
        ? ["A user name and a password: `curl -u 'name:password' …`"]
        : ["A token: `curl -H 'Authorization: Bearer <token>' …`"]
    case 'apiKey':
      return scheme.in === 'header'
        ? [`A key: \`curl -H '${scheme.name}: <key>' …\``]
        : [`A ${scheme.in === 'cookie' ? 'cookie' : 'query parameter'} named \`${scheme.name}\``]
    default:
      return ["A token of the issuer: `curl -H 'Authorization: Bearer <token>' …`"]
  }
}
