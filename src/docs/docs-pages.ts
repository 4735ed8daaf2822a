import { RegistrationError } from '../model/registration-error.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Rule } from '../rule/rule.ts'
import { scriptPage } from './bundle.ts'
import { documentPage } from './document-page.ts'
import type { Page } from './page.ts'
import { referencePage, referencePath, startPage } from './reference-page.ts'

/** The document, and the documentation page that is made of it. */
export function docsPages(makeDocument: () => OpenApiDocument, title: string): readonly Page[] {
  return [documentPage(makeDocument), referencePage(title), startPage, scriptPage]
}

/** @throws RegistrationError where a collection stands where the documentation would. */
export function refuseTakenByRules(rules: readonly Rule[]): void {
  const taking = rules.find(({ path }) => path === referencePath || path.startsWith(`${referencePath}/`))
  if (!taking) return
  throw new RegistrationError(
    `${taking.method} ${taking.path} stands where the documentation page would (docs: true); give the model another plural with { plural: '…' }, or serve the document yourself by toOpenApi().`,
  )
}
