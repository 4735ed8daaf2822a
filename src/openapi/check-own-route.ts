import { unknownName } from '../error/unknown-name.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { OwnRoute } from './own-routes.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete']
const operationMembers = [
  'tags',
  'summary',
  'description',
  'externalDocs',
  'operationId',
  'parameters',
  'requestBody',
  'responses',
  'deprecated',
  'security',
]
const locations = ['path', 'query', 'header', 'cookie']

/**
 * Checks that the operations of a route are Operation Objects (OpenAPI 3.1, Operation Object).
 * @throws RegistrationError
 */
export function checkOwnRoute({ path, operations }: OwnRoute): void {
  if (typeof path !== 'string' || !/^\/(?:[^?#{}\s:]|\{\w+\})*$/.test(path))
    throw new RegistrationError(
      `The path of describe() must begin with a slash, as in '/health' or '/exports/{name}'; got ${JSON.stringify(path)}.`,
    )
  const entries = Object.entries(recordOf(operations, `describe('${path}')`))
  if (entries.length === 0)
    throw new RegistrationError(
      `describe('${path}') needs an operation by method: { get: { summary, responses } }.`,
    )
  for (const [method, operation] of entries) {
    if (!methods.includes(method))
      throw new RegistrationError(
        unknownName(`Unknown method '${method}' of describe('${path}')`, method, methods),
      )
    checkOperation(path, `describe('${path}').${method}`, recordOf(operation, `'${method}'`))
  }
}

function checkOperation(
  path: string,
  subject: string,
  operation: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(operation))
    if (!operationMembers.includes(name) && !name.startsWith('x-'))
      throw new RegistrationError(
        unknownName(`Unknown member '${name}' of ${subject}`, name, operationMembers),
      )
  const { summary, responses, parameters = [], requestBody, tags = [], security = [] } = operation
  if (summary === undefined)
    throw new RegistrationError(
      `${subject} needs a 'summary', which pages of the document show: one line, such as 'Check the health'.`,
    )
  for (const [name, value, isValid] of [
    ['summary', summary, typeof summary === 'string' && summary !== ''],
    ['tags', tags, Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')],
    ['parameters', parameters, Array.isArray(parameters)],
    ['security', security, Array.isArray(security)],
  ] as const)
    if (!isValid) throw invalid(subject, name, value)
  checkResponses(subject, recordOf(responses, `'responses' of ${subject}`))
  checkParameters(path, subject, parameters as readonly unknown[])
  if (requestBody !== undefined)
    recordOf(
      recordOf(requestBody, `'requestBody' of ${subject}`).content,
      `'requestBody.content' of ${subject}`,
    )
}

function checkResponses(subject: string, responses: Readonly<Record<string, unknown>>): void {
  const entries = Object.entries(responses)
  if (entries.length === 0) throw invalid(subject, 'responses', responses)
  for (const [status, response] of entries) {
    if (!/^(?:[1-5]\d\d|[1-5]XX|default)$/.test(status)) throw invalid(subject, 'responses', status)
    const { description, $ref } = recordOf(response, `'responses.${status}' of ${subject}`)
    if (typeof description !== 'string' && typeof $ref !== 'string')
      throw invalid(subject, `responses.${status}.description`, description)
  }
}

/** Each parameter of the path has to be described, and no other. */
function checkParameters(path: string, subject: string, parameters: readonly unknown[]): void {
  const inlineParameters = parameters
    .map((parameter) => recordOf(parameter, `'parameters' of ${subject}`))
    .filter(({ $ref }) => $ref === undefined)
  for (const { name, in: location, schema, content } of inlineParameters)
    if (
      typeof name !== 'string' ||
      !locations.includes(String(location)) ||
      (schema === undefined) === (content === undefined)
    )
      throw invalid(subject, 'parameters', name)
  const namesInPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const pathParameters = inlineParameters.filter((parameter) => parameter.in === 'path')
  for (const name of namesInPath)
    if (!pathParameters.some((parameter) => parameter.name === name && parameter.required === true))
      throw new RegistrationError(
        `${subject} needs the required parameter '${name}' of its path: { name: '${name}', in: 'path', required: true, schema }.`,
      )
  for (const { name } of pathParameters)
    if (!namesInPath.includes(String(name)))
      throw new RegistrationError(
        `${subject} describes the parameter '${String(name)}', which its path does not have.`,
      )
}

function recordOf(value: unknown, subject: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new RegistrationError(`${subject} must be an object; got ${JSON.stringify(value)}.`)
}

function invalid(subject: string, member: string, value: unknown): RegistrationError {
  return new RegistrationError(
    `'${member}' of ${subject} is not valid in OpenAPI; got ${JSON.stringify(value)}.`,
  )
}
