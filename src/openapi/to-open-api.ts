import { unwrittenRuleKeywords } from '../error/unwritten-rule.ts'
import { checkOptions } from '../model/check-options.ts'
import type { Content, Contents } from '../rule/contents.ts'
import { operationIdOf } from '../rule/operation-id.ts'
import type { Rule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { type ComponentRegistry, createComponentRegistry } from './component-registry.ts'
import type {
  ContentObject,
  HttpMethod,
  OpenApiDocument,
  OpenApiVersion,
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
import { bodyContents } from './query-content.ts'
import { schemaNames } from './schema-names.ts'
import { securityOf } from './security.ts'
import { isBytesResponse, shareResponses, type WrittenResponse } from './share-responses.ts'
import { tagOf, tagsOf } from './tags.ts'

/**
 * Describes the rules as an OpenAPI document. Each rule is one operation, except those that refuse
 * every request and, before OpenAPI 3.2, those of QUERY; there are no others. `x-resourcery-allow`
 * of a path names the methods of those too. Tags have the order of the rules; nothing else depends
 * on it.
 *
 * ```ts
 * const document = toOpenApi(router.rules, { info: { title: 'Bookstore', version: '1.0.0' } })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toOpenApi(
  allRules: readonly Rule[],
  options: OpenApiOptions = {},
): OpenApiDocument {
  checkOptions('toOpenApi()', options, openApiOptions)
  const {
    info = defaultInfo,
    version = '3.1.2',
    servers = [{ url: '/' }],
    tags = [],
    externalDocs,
    fields = true,
  } = options
  const items = fields ? 'selectable' : 'complete'
  const rules = allRules.filter(
    ({ isAlwaysRefused, method }) =>
      !isAlwaysRefused && (method !== 'QUERY' || version === '3.2.0'),
  )
  const sorted = [...rules].sort(compareAddresses)
  const listResponses = createResponseLister()
  const responses = new Map(sorted.map((rule) => [rule, listResponses(rule)]))
  const describeParameter = createParameterDescriber(items)
  const components = createComponentRegistry(
    schemaNames(collectSchemas(sorted, responses, describeParameter, version), items),
    items,
    version,
  )
  const write = createOperationWriter(
    writeResponses(sorted, responses, createLinkFinder(sorted), components),
    describeParameter,
    components,
  )
  // Readers who may do little learn how to sign in all the same.
  for (const rule of allRules) securityOf(rule, components)
  const paths = groupByPath(sorted)
  const allByPath = groupByPath(allRules)
  return {
    openapi: version,
    info: version === '3.0.4' ? toInfo30(info) : info,
    ...(externalDocs && { externalDocs }),
    servers,
    tags: tagsOf(rules, tags, version),
    paths: Object.fromEntries(
      [...paths].map(([path, rulesOfPath]) => [
        templateOf(path),
        pathItem(rulesOfPath, allByPath.get(path)!, write),
      ]),
    ),
    components: components.components(),
  }
}

const methods: readonly Rule['method'][] = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE']

function compareAddresses(one: Rule, other: Rule): number {
  if (one.path !== other.path) return templateOf(one.path) < templateOf(other.path) ? -1 : 1
  return methods.indexOf(one.method) - methods.indexOf(other.method)
}

function groupByPath(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const paths = new Map<string, Rule[]>()
  for (const rule of rules) {
    const others = paths.get(rule.path)
    if (others) others.push(rule)
    else paths.set(rule.path, [rule])
  }
  return paths
}

function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

type ResponsesByRule = ReadonlyMap<Rule, readonly OperationResponse[]>
type ResponseObjectsByRule = ReadonlyMap<Rule, OperationObject['responses']>

function* collectSchemas(
  rules: readonly Rule[],
  responses: ResponsesByRule,
  describeParameter: ParameterDescriber,
  version: OpenApiVersion,
): Generator<JsonSchema> {
  for (const rule of rules) {
    for (const { schema } of rule.parameters.flatMap(describeParameter)) yield schema
    for (const { schema } of Object.values(bodyContents(rule, describeParameter))) yield schema
    for (const { contents } of responses.get(rule)!)
      yield* Object.values(contents).flatMap((content) => schemasOfContent(content, version))
  }
}

/** As {@link contentObject} writes them. */
function schemasOfContent(
  { schema, itemSchema }: Content,
  version: OpenApiVersion,
): readonly JsonSchema[] {
  return [itemSchema && version === '3.2.0' ? itemSchema : schema]
}

/** @param served the rules of the path, with those that the document leaves out */
function pathItem(
  rules: readonly Rule[],
  served: readonly Rule[],
  write: OperationWriter,
): PathItem {
  const operations = rules.map((rule) => [rule.method.toLowerCase() as HttpMethod, write(rule)])
  return {
    ...Object.fromEntries(operations),
    'x-resourcery-allow': formatAllow(served.map(({ method }) => method)),
  }
}

/** The service responds to HEAD wherever it responds to GET, and to OPTIONS everywhere. */
function formatAllow(allowed: readonly Rule['method'][]): string {
  const reads = allowed.includes('GET') ? ['GET', 'HEAD'] : []
  return [
    ...reads,
    'OPTIONS',
    ...methods.filter((method) => method !== 'GET' && allowed.includes(method)),
  ].join(', ')
}

type OperationWriter = (rule: Rule) => OperationObject

function createOperationWriter(
  responses: ResponseObjectsByRule,
  describeParameter: ParameterDescriber,
  components: ComponentRegistry,
): OperationWriter {
  const parametersOf = createParameterWriter(components, describeParameter)
  return (rule) => {
    const parameters = parametersOf(rule)
    const { summary, description } = wordingOf(rule)
    return {
      tags: [tagOf(rule)],
      summary,
      description: withAccessWords(rule.description ?? description, rule),
      operationId: operationIdOf(rule),
      ...(rule.declarations.some(({ deprecated }) => deprecated) && { deprecated: true }),
      ...(parameters.length > 0 && { parameters }),
      ...requestBody(rule, describeParameter, components),
      responses: responses.get(rule)!,
      security: securityOf(rule, components),
    }
  }
}

function requestBody(
  rule: Rule,
  describe: ParameterDescriber,
  components: ComponentRegistry,
): Pick<OperationObject, 'requestBody'> {
  const { request } = rule
  const content = contentObject(bodyContents(rule, describe), components)
  if (Object.keys(content).length === 0) return {}
  // Bodies are not components: some generators read a `$ref` here as a body without a type.
  return { requestBody: { required: !(request.kind === 'input' && request.isOptional), content } }
}

function contentObject(
  contents: ReturnType<Contents>,
  components: ComponentRegistry,
): ContentObject {
  const entries = Object.entries(contents).map(
    ([mediaType, { schema, itemSchema, example, encoding }]) => [
      mediaType,
      itemSchema && components.version === '3.2.0'
        ? { itemSchema: components.schema(itemSchema) }
        : {
            schema: components.schema(schema),
            ...(example !== undefined && { example }),
            ...(encoding && { encoding }),
          },
    ],
  )
  return Object.fromEntries(entries)
}

function writeResponses(
  rules: readonly Rule[],
  responses: ResponsesByRule,
  linksOf: LinkFinder,
  components: ComponentRegistry,
): ResponseObjectsByRule {
  const cache = new Map<OperationResponse, ResponseObject>()
  const write = (response: OperationResponse) => {
    const object = cache.get(response) ?? responseObject(response, components)
    cache.set(response, object)
    return object
  }
  const all = rules.map((rule): readonly WrittenResponse[] =>
    responses.get(rule)!.map((response) => {
      const links = linksOf(rule, response.status)
      const object = write(response)
      return {
        rule,
        status: response.status,
        response: Object.keys(links).length > 0 ? { ...object, links } : object,
      }
    }),
  )
  // Successful responses with a document differ between models, so they are never shared.
  const shared = shareResponses(
    all
      .flat()
      .filter(
        (written) => written.status >= 300 || !written.response.content || isBytesResponse(written),
      ),
    components,
  )
  const entry = (written: WrittenResponse) => [
    written.status,
    shared.get(written) ?? written.response,
  ]
  return new Map(rules.map((rule, index) => [rule, Object.fromEntries(all[index]!.map(entry))]))
}

function responseObject(
  { description, headers, contents, unwrittenRules = [] }: OperationResponse,
  components: ComponentRegistry,
): ResponseObject {
  const uses = Object.values(headers).map((use) => {
    const { name, description, schema } = use.header
    const header = {
      description,
      ...(use.isAlways && { required: true }),
      schema: components.schema(schema),
    }
    return [name, components.header(headerComponentName(use), header)] as const
  })
  const content = contentObject(contents, components)
  return {
    description,
    headers: Object.fromEntries([...uses].sort(([one], [other]) => (one < other ? -1 : 1))),
    ...(Object.keys(content).length > 0 && { content }),
    ...Object.fromEntries(unwrittenRules.map((rule) => [unwrittenRuleKeywords[rule], true])),
  }
}

function withAccessWords(description: string, { accessWords }: Pick<Rule, 'accessWords'>): string {
  return accessWords === undefined ? description : `${description} ${accessWords}`
}
