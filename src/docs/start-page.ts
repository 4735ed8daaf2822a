import { createHash } from 'node:crypto'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { acceptsHtml } from '../http/headers/accept.ts'
import { toWords } from '../model/naming.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Info } from '../openapi/document.ts'
import type { ModelRule, Rule } from '../rule/rule.ts'
import { countItems } from './count-items.ts'
import { documentPath } from './document-page.ts'
import { escapeHtml } from './escape-html.ts'
import { referencePath } from './reference-page.ts'

type Handle = (request: ApiRequest) => Promise<ApiResponse>

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
export function withStartPage(handle: Handle, content: StartPageContent): Handle {
  const { basePath, rules } = content
  const conflict = rules.find(({ path }) => path === '' || path === '/')
  if (conflict)
    throw new RegistrationError(
      `${conflict.method} ${basePath}${conflict.path} conflicts with the start page (start: true). Remove the option 'start', or change the path of the rule.`,
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
  handle: Handle,
  content: StartPageContent,
): Promise<ApiResponse> {
  const lists = content.rules.filter(isListRule)
  const entries = await Promise.all(lists.map((rule) => modelEntry(request, handle, content, rule)))
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
    body: { kind: 'text', text: renderPage(content, entries.join('')) },
  }
}

function isListRule(rule: Rule): rule is ModelRule {
  return 'view' in rule && rule.method === 'GET' && rule.target.kind === 'list'
}

/** Empty for a model whose list is not public. */
async function modelEntry(
  request: ApiRequest,
  handle: Handle,
  { basePath, urlPrefix }: StartPageContent,
  rule: ModelRule,
): Promise<string> {
  const count = await countItems(request, handle, `${basePath}${rule.path}`)
  if (count === 'refused') return ''
  const { plural, description } = rule.view.model
  const hasPages = rule.parameters.some(({ baseNames }) => baseNames.includes('page'))
  const href = `${urlPrefix()}${rule.path}${hasPages ? '?page[size]=20' : ''}`
  const number = count === 'unknown' ? '' : ` <small>${count}</small>`
  const text = description ? `<br>${escapeHtml(description)}` : ''
  return `  <li>${link(href, toWords(plural))}${number}${text}</li>\n`
}

function renderPage({ info, hasDocs, urlPrefix }: StartPageContent, models: string): string {
  const title = escapeHtml(info?.title ?? 'API')
  const description = info?.description ? `<p>${escapeHtml(info.description)}</p>\n` : ''
  const docs = hasDocs
    ? `<p>All requests: ${link(urlPrefix() + referencePath, 'to read and to try')}, ${link(urlPrefix() + documentPath, 'as an OpenAPI document')}.</p>\n`
    : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${description}${models === '' ? '<p>No list is public.</p>\n' : `<ul>\n${models}</ul>\n`}${docs}</body>
</html>
`
}

function link(href: string, text: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#222}li{margin:.4rem 0}small{color:#666}'

/** No scripts, and no style but that of the page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
