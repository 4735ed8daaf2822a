import type { Info } from '../../openapi/document.ts'
import type { Feature, RouterSetup } from '../feature.ts'
import { createDocsPages, refuseDocsPathConflict } from './docs-pages.ts'
import { documentPath } from './document-page.ts'
import { referencePath } from './reference-page.ts'
import { withStartPage } from './start-page.ts'

interface PageOptions {
  readonly docsPage?: boolean
  readonly startPage?: boolean
  readonly info?: Info
}

/** The documentation page and the start page; undefined if both options are off. */
export function browserPages(
  { docsPage: hasDocs = false, startPage: hasStartPage = false, info }: PageOptions,
  { basePath, callerHeaders, urlPrefix }: RouterSetup,
): Feature | undefined {
  if (!hasDocs && !hasStartPage) return undefined
  return {
    ...(hasDocs && {
      documentPath,
      pagePaths: [documentPath, referencePath],
      pages: ({ documentFor, isForAll }, rules) => {
        refuseDocsPathConflict(rules)
        const headers = isForAll ? undefined : callerHeaders()
        return createDocsPages(documentFor, info?.title ?? 'API', headers, hasStartPage)
      },
    }),
    ...(hasStartPage && {
      hostFacts: { hasStartPage },
      aroundRules: (handle, { rules }) =>
        withStartPage(handle, { basePath, info, rules, hasDocs, urlPrefix }),
    }),
  }
}
