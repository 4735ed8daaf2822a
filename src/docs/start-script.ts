import { callerCaching, type DocsPage, pageResponse, textTag } from './docs-page.ts'
import { originPlaceholder } from './introduction.ts'

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

/**
 * Starts the reference with an introduction before its operations. It is a separate file, so that
 * the page needs no inline script.
 */
export function createStartScriptPage(
  introductionFor: (caller: unknown) => string,
  callerHeaders: readonly string[],
): DocsPage {
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    ...callerCaching(callerHeaders),
  }
  return {
    path: startPath,
    isPersonal: true,
    respond: (request, caller) => {
      const text = startScript(introductionFor(caller))
      return pageResponse(request, headers, textTag(text), { kind: 'text', text })
    },
  }
}

/** The page knows the address of the service, also behind proxies. */
function startScript(introduction: string): string {
  return `const options = ${JSON.stringify(referenceOptions)}
const introduction = ${JSON.stringify(introduction)}.replaceAll('${originPlaceholder}', location.origin)
const show = (source) => Scalar.createApiReference('#reference', { ...options, ...source })
fetch(options.url)
  .then((response) => response.json())
  .then(
    (document) => {
      const { info } = document
      info.description = [info.description, introduction].filter(Boolean).join('\\n\\n')
      show({ url: undefined, content: document })
    },
    () => show({}),
  )
`
}
