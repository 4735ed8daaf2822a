import { createHash } from 'node:crypto'
import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { acceptsHtml } from '../../http/headers/accept.ts'
import { toWords } from '../../model/naming.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Info } from '../../openapi/document.ts'
import type { ModelRule, Rule } from '../../rule/rule.ts'
import type { RequestHandler } from '../feature.ts'
import { countItems } from './count-items.ts'
import { documentPath } from './document-page.ts'
import { referencePath } from './reference-page.ts'
import { renderStartPage, type StartPageList, startPageStyle } from './start-page-html.ts'

/** What a start page shows. */
export interface StartPageContent {
  readonly basePath: string
  readonly info: Info | undefined
  readonly rules: readonly Rule[]
  readonly hasDocs: boolean
  /** The base URL, if configured, and the mount path. */
  urlPrefix(): string
}

/**
 * Responds to browsers at the base path with the models of the service, and passes on all other
 * requests. Counts and links are those of a caller who is not signed in.
 * @throws RegistrationError if a rule has this path
 */
export function withStartPage(handle: RequestHandler, content: StartPageContent): RequestHandler {
  const { basePath, rules } = content
  const conflict = rules.find(({ path }) => path === '' || path === '/')
  if (conflict)
    throw new RegistrationError(
      `${conflict.method} ${basePath}${conflict.path} conflicts with the start page (startPage: true). Remove the option 'startPage', or change the path of the rule.`,
    )
  return (request) => {
    const { method, path, headers } = request
    const isHere = path === basePath || path === `${basePath}/`
    return isHere && (method === 'GET' || method === 'HEAD') && acceptsHtml(headers.accept)
      ? startPage(request, handle, content)
      : handle(request)
  }
}

async function startPage(
  request: ApiRequest,
  handle: RequestHandler,
  content: StartPageContent,
): Promise<ApiResponse> {
  const { info, hasDocs, urlPrefix } = content
  const rules = content.rules.filter(isListRule)
  const entries = await Promise.all(rules.map((rule) => listEntry(request, handle, content, rule)))
  const lists = entries.filter((entry) => typeof entry === 'object')
  const [first] = lists
  const text = renderStartPage({
    title: info?.title ?? 'API',
    description: info?.description,
    lists,
    hasRefusedLists: entries.includes('refused'),
    hasUnavailableLists: entries.includes('unavailable'),
    command: first && `curl -g '${absolute(request, first.href)}'`,
    docs: hasDocs
      ? { page: urlPrefix() + referencePath, document: urlPrefix() + documentPath }
      : undefined,
  })
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      vary: 'Accept',
    },
    body: { kind: 'text', text },
  }
}

/** Without a configured address, that by which the client has reached the page. */
function absolute({ headers: { host } }: ApiRequest, href: string): string {
  return href.startsWith('/') && host !== undefined ? `http://${host}${href}` : href
}

function isListRule(rule: Rule): rule is ModelRule {
  return 'view' in rule && rule.method === 'GET' && rule.target.kind === 'list'
}

/** Why a list is not shown, where it is not. */
async function listEntry(
  request: ApiRequest,
  handle: RequestHandler,
  { basePath, urlPrefix }: StartPageContent,
  rule: ModelRule,
): Promise<StartPageList | 'refused' | 'unavailable'> {
  const count = await countItems(request, handle, `${basePath}${rule.path}`)
  if (count === 'refused' || count === 'unavailable') return count
  const { plural, description } = rule.view.model
  const hasPages = rule.parameters.some(({ baseNames }) => baseNames.includes('page'))
  return {
    words: toWords(plural),
    href: `${urlPrefix()}${rule.path}${hasPages ? '?page[size]=20' : ''}`,
    description,
    count: count === 'unknown' ? undefined : count,
  }
}

/** No scripts, and no style but that of the page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(startPageStyle).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
