import { checkOptions } from '../model/check-options.ts'
import { operationIdOf } from '../rule/operation-id.ts'
import type { Content, Contents, Rule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import {
  type ComponentRegistry,
  createComponentRegistry as emptyShelf,
} from './component-registry.ts'
import type {
  ContentObject,
  HttpMethod,
  OpenApiDocument,
  OperationObject,
  PathItem,
  ResponseObject,
} from './document.ts'
import { headerComponentName } from './header-uses.ts'
import { toInfo30 } from './info-3-0.ts'
import { createLinkFinder, type LinkFinder } from './links.ts'
import { defaultInfo, type OpenApiOptions, openApiOptions } from './open-api-options.ts'
import { createResponseLister, type OperationResponse } from './operation-responses.ts'
import { wordingOf } from './operation-wording.ts'
import {
  createParameterDescriber,
  createParameterWriter,
  type ParameterDescriber,
} from './parameter-writer.ts'
import { schemaNames } from './schema-names.ts'
import { securityOf } from './security.ts'
import { isBytesResponse, shareResponses, type WrittenResponse } from './share-responses.ts'
import { tagOf, tagsOf } from './tags.ts'

/**
 * Describes the rules as an OpenAPI document: each rule is one operation, and nothing else is. The
 * same rules give the same document, in whatever order they were registered.
 */
export function toOpenApi(rules: readonly Rule[], options: OpenApiOptions = {}): OpenApiDocument {
  checkOptions('toOpenApi()', options, openApiOptions)
  const {
    info = defaultInfo,
    version = '3.1.2',
    servers = [{ url: '/' }],
    tags = [],
    externalDocs,
    fields = true,
  } = options
  const items = fields ? 'chosen' : 'whole'
  const sorted = [...rules].sort(compareAddresses)
  const answersOf = createResponseLister()
  const answers = new Map(sorted.map((rule) => [rule, answersOf(rule)]))
  const documented = createParameterDescriber(items)
  const shelf = emptyShelf(
    schemaNames(collectSchemas(sorted, answers, documented), items),
    items,
    version,
  )
  const write = createOperationWriter(
    writeResponses(sorted, answers, createLinkFinder(sorted), shelf),
    documented,
    shelf,
  )
  const paths = new Map<string, Rule[]>()
  for (const rule of sorted) paths.set(rule.path, [...(paths.get(rule.path) ?? []), rule])
  return {
    openapi: version,
    info: version === '3.0.4' ? toInfo30(info) : info,
    ...(externalDocs && { externalDocs }),
    servers,
    tags: tagsOf(sorted, tags),
    paths: Object.fromEntries(
      [...paths].map(([path, among]) => [templateOf(path), pathItem(among, write)]),
    ),
    components: shelf.components(),
  }
}

const methods: readonly Rule['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function compareAddresses(one: Rule, other: Rule): number {
  if (one.path !== other.path) return templateOf(one.path) < templateOf(other.path) ? -1 : 1
  return methods.indexOf(one.method) - methods.indexOf(other.method)
}

function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

type ResponsesByRule = ReadonlyMap<Rule, readonly OperationResponse[]>
type ResponseObjectsByRule = ReadonlyMap<Rule, OperationObject['responses']>

function* collectSchemas(
  rules: readonly Rule[],
  answers: ResponsesByRule,
  documented: ParameterDescriber,
): Generator<JsonSchema> {
  for (const rule of rules) {
    for (const { schema } of rule.parameters.flatMap(documented)) yield schema
    if (rule.request.kind !== 'none')
      for (const { schema } of Object.values(rule.request.contents())) yield schema
    for (const { contents } of answers.get(rule)!)
      yield* Object.values(contents).flatMap(schemasOfContent)
  }
}

function schemasOfContent({ schema, itemSchema }: Content): readonly JsonSchema[] {
  return itemSchema ? [schema, itemSchema] : [schema]
}

function pathItem(rules: readonly Rule[], write: OperationWriter): PathItem {
  const operations = rules.map((rule) => [rule.method.toLowerCase() as HttpMethod, write(rule)])
  return {
    ...Object.fromEntries(operations),
    'x-resourcery-allow': formatAllow(rules.map(({ method }) => method)),
  }
}

/** HEAD comes with GET, and OPTIONS with any. */
function formatAllow(own: readonly Rule['method'][]): string {
  const reads = own.includes('GET') ? ['GET', 'HEAD'] : []
  return [
    ...reads,
    'OPTIONS',
    ...methods.filter((method) => method !== 'GET' && own.includes(method)),
  ].join(', ')
}

type OperationWriter = (rule: Rule) => OperationObject

function createOperationWriter(
  responses: ResponseObjectsByRule,
  documented: ParameterDescriber,
  shelf: ComponentRegistry,
): OperationWriter {
  const parametersOf = createParameterWriter(shelf, documented)
  return (rule) => {
    const parameters = parametersOf(rule)
    const { summary, description } = wordingOf(rule)
    return {
      tags: [tagOf(rule)],
      summary,
      description: rule.description ?? description,
      operationId: operationIdOf(rule),
      ...(rule.declarations.some(({ deprecated }) => deprecated) && { deprecated: true }),
      ...(parameters.length > 0 && { parameters }),
      ...requestBody(rule.request, shelf),
      responses: responses.get(rule)!,
      security: securityOf(rule, shelf),
    }
  }
}

function requestBody(
  request: Rule['request'],
  shelf: ComponentRegistry,
): Pick<OperationObject, 'requestBody'> {
  const content = request.kind === 'none' ? {} : contentObject(request.contents(), shelf)
  if (Object.keys(content).length === 0) return {}
  // Bodies stand in their operations, uploads too: some generators read a `$ref` here as a body
  // without a type.
  return { requestBody: { required: !(request.kind === 'input' && request.isOptional), content } }
}

function contentObject(contents: ReturnType<Contents>, shelf: ComponentRegistry): ContentObject {
  const written = Object.entries(contents).map(
    ([mediaType, { schema, itemSchema, example, encoding }]) => [
      mediaType,
      itemSchema && shelf.version === '3.2.0'
        ? { itemSchema: shelf.schema(itemSchema) }
        : {
            schema: shelf.schema(schema),
            ...(example !== undefined && { example }),
            ...(encoding && { encoding }),
          },
    ],
  )
  return Object.fromEntries(written)
}

function writeResponses(
  rules: readonly Rule[],
  answers: ResponsesByRule,
  links: LinkFinder,
  shelf: ComponentRegistry,
): ResponseObjectsByRule {
  const written = new Map<OperationResponse, ResponseObject>()
  const write = (answer: OperationResponse) => {
    const response = written.get(answer) ?? responseObject(answer, shelf)
    written.set(answer, response)
    return response
  }
  const all = rules.map((rule): readonly WrittenResponse[] =>
    answers.get(rule)!.map((answer) => {
      const next = links(rule, answer.status)
      const response = write(answer)
      return {
        rule,
        status: answer.status,
        response: Object.keys(next).length > 0 ? { ...response, links: next } : response,
      }
    }),
  )
  // Documents that are answered on success differ from model to model, bytes do not.
  const shared = shareResponses(
    all.flat().filter((one) => one.status >= 300 || !one.response.content || isBytesResponse(one)),
    shelf,
  )
  const entry = (one: WrittenResponse) => [one.status, shared.get(one) ?? one.response]
  return new Map(rules.map((rule, index) => [rule, Object.fromEntries(all[index]!.map(entry))]))
}

function responseObject(
  { description, headers, contents }: OperationResponse,
  shelf: ComponentRegistry,
): ResponseObject {
  const uses = Object.values(headers).map((use) => {
    const { name, description, schema } = use.header
    const header = {
      description,
      ...(use.isAlways && { required: true }),
      schema: shelf.schema(schema),
    }
    return [name, shelf.header(headerComponentName(use), header)] as const
  })
  const content = contentObject(contents, shelf)
  return {
    description,
    headers: Object.fromEntries([...uses].sort(([one], [other]) => (one < other ? -1 : 1))),
    ...(Object.keys(content).length > 0 && { content }),
  }
}
