import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { boundedPattern } from './bounded-pattern.ts'
import { type DocumentNode, escapeToken } from './document-node.ts'
import { UnusableSchemaError } from './unusable-schema.ts'

/** The compiled schemas of a document. */
export interface CompiledSchemas {
  /**
   * Compiles a schema, which is compiled with the first value otherwise.
   * @throws Error if it is not valid JSON Schema 2020-12
   */
  compile(schema: DocumentNode): void
  /** Describes what is wrong with the value; undefined if it is valid. */
  validationError(schema: DocumentNode, value: unknown): string | undefined
}

const rootSchemaId = 'document'

/** Compiles schemas of a document. */
export function compileSchemas(document: object): CompiledSchemas {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: false,
    validateFormats: true,
    // It would compile the schema of schemas for each document, to compare `{ $ref }` with it.
    validateSchema: false,
    code: { regExp: patternEngine(document) },
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
  const compileReference = ($ref: string, pointer: string): ValidateFunction => {
    try {
      return ajv.compile({ $ref })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new UnusableSchemaError(pointer, 'refers to too many schemas within one another.')
    }
  }
  const compile = ({ pointer }: DocumentNode) => {
    const cached = compiled.get(pointer)
    if (cached) return cached
    const $ref = `${rootSchemaId}#${pointer.split('/').map(encodeURIComponent).join('/')}`
    const validate = compileReference($ref, pointer)
    compiled.set(pointer, validate)
    return validate
  }
  return {
    compile: (schema) => void compile(schema),
    validationError: (schema, value) => {
      const validate = compile(schema)
      return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'the value' })
    },
  }
}

/** `code` would be part of standalone code, which is not written. */
function patternEngine(document: object) {
  const placeOf = (pattern: string) => pointerOfPattern(document, pattern)
  const engine = (source: string, flags: string) => boundedPattern(source, flags, placeOf)
  return Object.assign(engine, { code: 'boundedPattern' })
}

function pointerOfPattern(document: object, pattern: string): string | undefined {
  const open: DocumentNode[] = [{ value: document, pointer: '' }]
  for (let node = open.pop(); node; node = open.pop()) {
    const { value, pointer } = node
    if (typeof value !== 'object' || value === null) continue
    if ('pattern' in value && value.pattern === pattern) return pointer
    for (const [name, member] of Object.entries(value))
      open.push({ value: member, pointer: `${pointer}/${escapeToken(name)}` })
  }
  return undefined
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
