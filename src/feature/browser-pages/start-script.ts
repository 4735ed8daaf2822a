import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ServedPage } from '../../pipeline/serve-page.ts'
import { originPlaceholder } from './introduction.ts'
import { callerCaching, pageResponse, textTag } from './page-response.ts'
import { type SignInField, signInScript } from './sign-in.ts'

export const startPath = '/docs/start.js'

/** Options of the reference. URLs are relative, so that the page works behind proxies too. */
const referenceOptions = {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
} as const

/** What the page shows besides the reference. */
export interface PageStart {
  readonly introduction: string
  /** The credentials with which its reader sees more. */
  readonly signIn: readonly SignInField[]
}

/**
 * Starts the reference with an introduction before its operations. It is a separate file, so that
 * the page needs no inline script.
 */
export function createStartScriptPage(
  startFor: (caller: unknown) => PageStart,
  callerHeaders: readonly string[] | undefined,
): ServedPage {
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    ...callerCaching(callerHeaders),
  }
  return {
    path: startPath,
    // The page shows what everyone may call to a browser with an old cookie.
    audience: callerHeaders ? 'anyCaller' : 'everyone',
    respond: (request, caller) => {
      const { text, tag } = scriptOf(startFor(caller))
      return pageResponse(request, headers, tag, { kind: 'text', text })
    },
  }
}

/** There is a start for each document, so the script is made and hashed once for each. */
const scriptOf = memoizeBy((start: PageStart) => {
  const text = startScript(start)
  return { text, tag: textTag(text) }
})

/** The page knows the address of the service, also behind proxies. */
function startScript({ introduction, signIn }: PageStart): string {
  return `const options = ${JSON.stringify(referenceOptions)}
const introduction = ${JSON.stringify(introduction)}.replaceAll('${originPlaceholder}', location.origin)
const signIn = ${JSON.stringify(signIn)}
const render = (source) => {
  const container = document.createElement('div')
  container.id = 'reference'
  document.getElementById('reference').replaceWith(container)
  Scalar.createApiReference('#reference', { ...options, ...source })
}
const show = (content, others) => {
  const { info } = content
  info.description = [info.description, introduction].filter(Boolean).join('\\n\\n')
  render({ url: undefined, content, ...others })
}
const showForEveryone = () => fetch(options.url)
  // An expired credential of the browser must not hide the document for everyone.
  .then((response) => response.ok ? response : fetch(options.url, { credentials: 'omit' }))
  .then((response) => response.json())
  .then((content) => show(content, {}), () => render({}))
${signIn.length > 0 ? `${signInScript}addSignIn()\n` : ''}showForEveryone()
`
}
