import type { Content, Contents } from '../rule/contents.ts'
import type { DocumentedParameter } from '../rule/query-parameter.ts'
import type { QueryRequest } from '../rule/request-shape.ts'
import type { Rule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { type ParameterDescriber, stylesByKind } from './parameter-writer.ts'

/** The bodies of a rule by media type; those of QUERY follow from its parameters. */
export function bodyContents(
  { request, parameters }: Pick<Rule, 'request' | 'parameters'>,
  describe: ParameterDescriber,
): ReturnType<Contents> {
  switch (request.kind) {
    case 'none':
      return {}
    case 'query':
      return queryContents(request, parameters.flatMap(describe))
    default:
      return request.contents()
  }
}

/** The form has the parameters that the address of GET would have, in the same styles. */
function queryContents(
  { mediaTypes }: QueryRequest,
  parameters: readonly DocumentedParameter[],
): ReturnType<Contents> {
  const required = parameters.flatMap(({ name, isRequired }) => (isRequired ? [name] : []))
  const styled = parameters.filter(({ style }) => style !== 'plain')
  const content: Content = {
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map((parameter) => [parameter.name, memberSchema(parameter)]),
      ),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    ...(styled.length > 0 && {
      encoding: Object.fromEntries(styled.map(({ name, style }) => [name, stylesByKind[style]])),
    }),
  }
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content]))
}

function memberSchema({ schema, description, isDeprecated }: DocumentedParameter): JsonSchema {
  return {
    ...schema,
    ...(!schema.component && { description }),
    ...(isDeprecated && { deprecated: true }),
  }
}
