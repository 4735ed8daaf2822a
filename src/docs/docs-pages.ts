import { RegistrationError } from '../model/registration-error.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Rule } from '../rule/rule.ts'
import type { DocsPage } from './docs-page.ts'
import { createDocumentPage } from './document-page.ts'
import { createReferencePage, referencePath, startScriptPage } from './reference-page.ts'
import { scriptPage } from './reference-script.ts'

/** The document, and the documentation page that is made of it. */
export function createDocsPages(
  makeDocument: () => OpenApiDocument,
  title: string,
): readonly DocsPage[] {
  return [createDocumentPage(makeDocument), createReferencePage(title), startScriptPage, scriptPage]
}

/** @throws RegistrationError where a collection stands where the documentation would. */
export function refuseDocsPathConflict(rules: readonly Rule[]): void {
  const taking = rules.find(
    ({ path }) => path === referencePath || path.startsWith(`${referencePath}/`),
  )
  if (!taking) return
  throw new RegistrationError(
    `${taking.method} ${taking.path} stands where the documentation page would (docs: true); give the model another plural with { plural: '…' }, or serve the document yourself by toOpenApi().`,
  )
}
