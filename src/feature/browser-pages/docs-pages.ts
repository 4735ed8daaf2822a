import { lruCache } from '../../cache/lru-cache.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { OpenApiVersion } from '../../openapi/document.ts'
import type { ServedPage } from '../../pipeline/serve-page.ts'
import type { Rule } from '../../rule/rule.ts'
import type { CallerDocument, DocumentsOfGroup } from '../feature.ts'
import { createDocumentPage, defaultVersion, serializeDocument } from './document-page.ts'
import { introductionOf } from './introduction.ts'
import { createReferencePage, referencePath } from './reference-page.ts'
import { scriptPage } from './reference-script.ts'
import { signInFields } from './sign-in.ts'
import { createStartScriptPage } from './start-script.ts'

/** More documents than a service has roles; each is only a text. */
const maxDocuments = 16

/**
 * The OpenAPI document, and the documentation page with its scripts.
 * @param callerHeaders the request headers with credentials; undefined if all callers get one
 * document
 */
export function createDocsPages(
  documentFor: DocumentsOfGroup['documentFor'],
  title: string,
  callerHeaders: readonly string[] | undefined,
  hasStartPage: boolean,
): readonly ServedPage[] {
  // The first request makes it. Only its text is kept, which takes less memory.
  const known = lruCache<string, ReturnType<typeof makePages>>(maxDocuments)
  const makePages = ({ make, isPartial }: CallerDocument, caller: unknown) => {
    const document = make(defaultVersion)
    const hasMore = isPartial && caller === undefined
    const texts = new Map([[defaultVersion, serializeDocument(document)]])
    return {
      textOf(version: OpenApiVersion) {
        const text = texts.get(version) ?? serializeDocument(make(version))
        texts.set(version, text)
        return text
      },
      introduction: introductionOf(document, { hasStartPage, hasMore }),
      signIn: hasMore ? signInFields(document) : [],
    }
  }
  const pagesFor = (caller: unknown) => {
    const document = documentFor(caller)
    const key = `${caller === undefined} ${document.key}`
    const pages = known.get(key) ?? makePages(document, caller)
    known.set(key, pages)
    return pages
  }
  return [
    createDocumentPage((caller, version) => pagesFor(caller).textOf(version), callerHeaders),
    createReferencePage(title),
    createStartScriptPage(pagesFor, callerHeaders),
    scriptPage,
  ]
}

/** @throws RegistrationError if a rule has a path of the documentation */
export function refuseDocsPathConflict(rules: readonly Rule[]): void {
  const conflict = rules.find(
    ({ path }) => path === referencePath || path.startsWith(`${referencePath}/`),
  )
  if (!conflict) return
  throw new RegistrationError(
    `${conflict.method} ${conflict.path} conflicts with the documentation page (docsPage: true). Set another plural of the model with { plural: '…' }, or serve the document yourself with toOpenApi().`,
  )
}
