import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { DescribedOperation } from './described-operation.ts'
import type { DocumentNode } from './document-node.ts'

/** The compiled schemas of a document. */
export interface CompiledSchemas {
  /** Describes what is wrong with the value; undefined if it is valid. */
  validationError(schema: DocumentNode, value: unknown): string | undefined
}

const rootSchemaId = 'document'

/**
 * Compiles every schema that the operations use.
 * @throws Error if a schema is not valid JSON Schema 2020-12
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
  // In the OpenAPI Format Registry; a pattern says which texts they are.
  ajv.addFormat('decimal', true)
  // Keywords that OpenAPI adds to JSON Schema (OAS 3.1, base vocabulary), and annotations.
  ajv.addVocabulary(['discriminator', 'xml', 'externalDocs', 'example'])
  // The document itself is added as a schema, so that references within it resolve.
  ajv.addVocabulary(Object.keys(document).filter((name) => !name.startsWith('x-')))
  for (const keyword of extensionKeywords(document)) ajv.addKeyword(keyword)
  ajv.addSchema({ $id: rootSchemaId, $defs: {}, ...document }, rootSchemaId, false, false)
  const compiled = new Map<string, ValidateFunction>()
  const compile = ({ pointer }: DocumentNode) => {
    const cached = compiled.get(pointer)
    if (cached) return cached
    const validate = ajv.compile({
      $ref: `${rootSchemaId}#${pointer.split('/').map(encodeURIComponent).join('/')}`,
    })
    compiled.set(pointer, validate)
    return validate
  }
  for (const schema of operations.flatMap(schemasIn)) compile(schema)
  return {
    validationError: (schema, value) => {
      const validate = compile(schema)
      return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'the value' })
    },
  }
}

/** Names of extensions, which begin with `x-` (OAS 3.1, specification extensions). */
function extensionKeywords(value: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return names
  for (const [name, member] of Object.entries(value)) {
    if (name.startsWith('x-') && !Array.isArray(value)) names.add(name)
    extensionKeywords(member, names)
  }
  return names
}

function schemasIn({ parameters, body, responses }: DescribedOperation): readonly DocumentNode[] {
  const responseSchemas = [...responses.values()].flatMap(({ content, headers }) => [
    ...content.values(),
    ...[...headers.values()].map((header) => header.schema),
  ])
  return [
    ...parameters.map(({ schema }) => schema),
    ...(body?.content.values() ?? []),
    ...responseSchemas,
  ].filter((schema): schema is DocumentNode => schema !== undefined)
}
