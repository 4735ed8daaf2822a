import { lazy } from '../cache/lazy.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Rule } from '../rule/rule.ts'
import type { DocsPage } from './docs-page.ts'
import { createDocumentPage, serializeDocument } from './document-page.ts'
import { introductionOf } from './introduction.ts'
import { createReferencePage, referencePath } from './reference-page.ts'
import { scriptPage } from './reference-script.ts'
import { createStartScriptPage } from './start-script.ts'

/**
 * The OpenAPI document, and the documentation page with its scripts.
 * @param callerHeaders the request headers with credentials, if callers get documents of their own
 */
export function createDocsPages(
  makeDocument: () => OpenApiDocument,
  title: string,
  callerHeaders: readonly string[],
  hasStartPage: boolean,
): readonly DocsPage[] {
  // The first request makes it. Only its text is kept, which takes less memory.
  const pages = lazy(() => {
    const document = makeDocument()
    return {
      serialized: serializeDocument(document),
      introduction: introductionOf(document, hasStartPage),
    }
  })
  return [
    createDocumentPage(() => pages().serialized, callerHeaders),
    createReferencePage(title),
    createStartScriptPage(() => pages().introduction, callerHeaders),
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
    `${conflict.method} ${conflict.path} conflicts with the documentation page (docs: true). Set another plural of the model with { plural: '…' }, or serve the document yourself with toOpenApi().`,
  )
}
