import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { DescribedOperation } from './described-operation.ts'
import type { DocumentNode } from './document-node.ts'

/** The schemas of a document, compiled. */
export interface CompiledSchemas {
  /** What is wrong with the value, in words; undefined where nothing is. */
  validationError(schema: DocumentNode, value: unknown): string | undefined
}

const rootSchemaId = 'document'

/**
 * Compiles every schema that the operations use.
 * @throws Error when one is no schema of JSON Schema 2020-12: a schema that cannot be compiled
 * would check nothing.
 */
export function compileSchemas(
  document: object,
  operations: readonly DescribedOperation[],
): CompiledSchemas {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: false,
    validateFormats: true,
  })
  addFormats.default(ajv)
  // The words that OpenAPI adds to JSON Schema (OAS 3.1, base vocabulary), and those that only
  // describe.
  ajv.addVocabulary(['discriminator', 'xml', 'externalDocs', 'example'])
  // The document itself stands for a schema, so that references within it lead where they say.
  ajv.addVocabulary(Object.keys(document).filter((word) => !word.startsWith('x-')))
  for (const word of extensionKeywords(document)) ajv.addKeyword(word)
  ajv.addSchema({ $id: rootSchemaId, $defs: {}, ...document }, rootSchemaId, false, false)
  const compiled = new Map<string, ValidateFunction>()
  const compile = ({ pointer }: DocumentNode) => {
    const known = compiled.get(pointer)
    if (known) return known
    const made = ajv.compile({
      $ref: `${rootSchemaId}#${pointer.split('/').map(encodeURIComponent).join('/')}`,
    })
    compiled.set(pointer, made)
    return made
  }
  for (const at of operations.flatMap(schemasIn)) compile(at)
  return {
    validationError: (schema, value) => {
      const validate = compile(schema)
      return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'the value' })
    },
  }
}

/**
 * Extensions begin with `x-` (OAS 3.1, specification extensions); they say nothing about what is
 * valid.
 */
function extensionKeywords(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, inner] of Object.entries(value)) {
    if (name.startsWith('x-') && !Array.isArray(value)) found.add(name)
    extensionKeywords(inner, found)
  }
  return found
}

function schemasIn({ parameters, body, responses }: DescribedOperation): readonly DocumentNode[] {
  const answers = [...responses.values()].flatMap(({ content, headers }) => [
    ...content.values(),
    ...[...headers.values()].map((header) => header.schema),
  ])
  return [
    ...parameters.map((one) => one.schema),
    ...(body?.content.values() ?? []),
    ...answers,
  ].filter((at): at is DocumentNode => at !== undefined)
}
