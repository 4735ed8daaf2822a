import { RegistrationError } from '../model/registration-error.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Rule } from '../rule/rule.ts'
import type { DocsPage } from './docs-page.ts'
import { createDocumentPage } from './document-page.ts'
import { createReferencePage, referencePath, startScriptPage } from './reference-page.ts'
import { scriptPage } from './reference-script.ts'

/**
 * The OpenAPI document, and the documentation page with its scripts.
 * @param callerHeaders the request headers with credentials, if callers get documents of their own
 */
export function createDocsPages(
  makeDocument: () => OpenApiDocument,
  title: string,
  callerHeaders: readonly string[],
): readonly DocsPage[] {
  return [
    createDocumentPage(makeDocument, callerHeaders),
    createReferencePage(title),
    startScriptPage,
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
