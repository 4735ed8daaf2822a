import { checkOptions } from '../model/check-options.ts'
import { operationIdOf } from '../rule/operation-id.ts'
import type { Content, Contents, Rule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { type Answer, answering } from './answers.ts'
import { shelf as emptyShelf, type Shelf } from './components.ts'
import type {
  ContentObject,
  HttpMethod,
  OpenApiDocument,
  OperationObject,
  PathItem,
  ResponseObject,
} from './document.ts'
import { sharedHeaderName } from './header-uses.ts'
import { info30 } from './info-3-0.ts'
import { type Links, linksAmong } from './links.ts'
import { type OpenApiOptions, openApiOptions, untitled } from './options.ts'
import { type Documented, documenting, parameterWriter } from './parameters.ts'
import { schemaNames } from './schema-names.ts'
import { securityOf } from './security.ts'
import { isBytes, shareResponses, type WrittenResponse } from './shared-responses.ts'
import { tagOf, tagsOf } from './tags.ts'
import { wordingOf } from './wording.ts'

/**
 * Describes the rules as an OpenAPI document: each rule is one operation, and nothing else is. The same rules give the same document, in
 * whatever order they were registered.
 */
export function toOpenApi(rules: readonly Rule[], options: OpenApiOptions = {}): OpenApiDocument {
  checkOptions('toOpenApi()', options, openApiOptions)
  const {
    info = untitled,
    version = '3.1.2',
    servers = [{ url: '/' }],
    tags = [],
    externalDocs,
    fields = true,
  } = options
  const items = fields ? 'chosen' : 'whole'
  const sorted = [...rules].sort(byAddress)
  const answersOf = answering()
  const answers = new Map(sorted.map((rule) => [rule, answersOf(rule)]))
  const documented = documenting(items)
  const shelf = emptyShelf(schemaNames(schemasOf(sorted, answers, documented), items), items, version)
  const write = operationWriter(writtenResponses(sorted, answers, linksAmong(sorted), shelf), documented, shelf)
  const paths = new Map<string, Rule[]>()
  for (const rule of sorted) paths.set(rule.path, [...(paths.get(rule.path) ?? []), rule])
  return {
    openapi: version,
    info: version === '3.0.4' ? info30(info) : info,
    ...(externalDocs && { externalDocs }),
    servers,
    tags: tagsOf(sorted, tags),
    paths: Object.fromEntries([...paths].map(([path, among]) => [templateOf(path), pathItem(among, write)])),
    components: shelf.components(),
  }
}

const methods: readonly Rule['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function byAddress(one: Rule, other: Rule): number {
  if (one.path !== other.path) return templateOf(one.path) < templateOf(other.path) ? -1 : 1
  return methods.indexOf(one.method) - methods.indexOf(other.method)
}

function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

type Answers = ReadonlyMap<Rule, readonly Answer[]>
type Responses = ReadonlyMap<Rule, OperationObject['responses']>

function* schemasOf(rules: readonly Rule[], answers: Answers, documented: Documented): Generator<JsonSchema> {
  for (const rule of rules) {
    for (const { schema } of rule.parameters.flatMap(documented)) yield schema
    if (rule.request.kind !== 'none') for (const { schema } of Object.values(rule.request.contents())) yield schema
    for (const { contents } of answers.get(rule)!) yield* Object.values(contents).flatMap(partsOf)
  }
}

function partsOf({ schema, itemSchema }: Content): readonly JsonSchema[] {
  return itemSchema ? [schema, itemSchema] : [schema]
}

function pathItem(rules: readonly Rule[], write: OperationWriter): PathItem {
  const operations = rules.map((rule) => [rule.method.toLowerCase() as HttpMethod, write(rule)])
  return { ...Object.fromEntries(operations), 'x-resourcery-allow': allowOf(rules.map(({ method }) => method)) }
}

/** HEAD comes with GET, and OPTIONS with any. */
function allowOf(own: readonly Rule['method'][]): string {
  const reads = own.includes('GET') ? ['GET', 'HEAD'] : []
  return [...reads, 'OPTIONS', ...methods.filter((method) => method !== 'GET' && own.includes(method))].join(', ')
}

type OperationWriter = (rule: Rule) => OperationObject

function operationWriter(responses: Responses, documented: Documented, shelf: Shelf): OperationWriter {
  const parametersOf = parameterWriter(shelf, documented)
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

function requestBody(request: Rule['request'], shelf: Shelf): Pick<OperationObject, 'requestBody'> {
  const content = request.kind === 'none' ? {} : contentObject(request.contents(), shelf)
  if (Object.keys(content).length === 0) return {}
  // Bodies stand in their operations, uploads too: some generators read a `$ref` here as a body without a type.
  return { requestBody: { required: !(request.kind === 'input' && request.isOptional), content } }
}

function contentObject(contents: ReturnType<Contents>, shelf: Shelf): ContentObject {
  const written = Object.entries(contents).map(([mediaType, { schema, itemSchema, example, encoding }]) => [
    mediaType,
    itemSchema && shelf.version === '3.2.0'
      ? { itemSchema: shelf.schema(itemSchema) }
      : { schema: shelf.schema(schema), ...(example !== undefined && { example }), ...(encoding && { encoding }) },
  ])
  return Object.fromEntries(written)
}

function writtenResponses(rules: readonly Rule[], answers: Answers, links: Links, shelf: Shelf): Responses {
  const written = new Map<Answer, ResponseObject>()
  const write = (answer: Answer) => {
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
    all.flat().filter((one) => one.status >= 300 || !one.response.content || isBytes(one)),
    shelf,
  )
  const entry = (one: WrittenResponse) => [one.status, shared.get(one) ?? one.response]
  return new Map(rules.map((rule, index) => [rule, Object.fromEntries(all[index]!.map(entry))]))
}

function responseObject({ description, headers, contents }: Answer, shelf: Shelf): ResponseObject {
  const uses = Object.values(headers).map((use) => {
    const { name, description, schema } = use.text
    const header = { description, ...(use.always && { required: true }), schema: shelf.schema(schema) }
    return [name, shelf.header(sharedHeaderName(use), header)] as const
  })
  const content = contentObject(contents, shelf)
  return {
    description,
    headers: Object.fromEntries([...uses].sort(([one], [other]) => (one < other ? -1 : 1))),
    ...(Object.keys(content).length > 0 && { content }),
  }
}
