import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseAst, transformWithEsbuild } from 'vite'

/**
 * @typedef {{ readonly type: string, readonly [key: string]: any }} Node
 * @typedef {'clients' | 'document' | 'developers'} Audience
 * @typedef {{
 *   readonly file: string,
 *   readonly audience: Audience,
 *   readonly text: string,
 *   readonly isDetail: boolean,
 * }} Message `isDetail`: it is the whole text of an error, not a part of one
 */

/**
 * Not texts for people: tests, contract suites, hostile values, raw requests, markup, printed
 * plans.
 */
const skippedFiles =
  /^(testing|contracts)\/|\.(test|test-d|testing|d)\.ts$|^tools\/check\/(arbitrary|plan)\/|^docs\/reference-|\/print-/

/** Their literals are SQL, except for those in errors, summaries and sentences. */
const sqlFolders = /^store\/(sql|sqlite|tables|postgres)\//
const isSentence = (/** @type {string} */ text) => /^['{A-Z].*\.$/s.test(text)

/** Lines of the models that are written for tables. */
const isSourceText = (/** @type {string} */ text) => /^(import|export) /.test(text)

const folders = {
  developers:
    /^(api|docs|mapper|middleware|model|query|router|store|stored-item|tools\/check)\/|^tools\/[\w-]+\.ts$|-limits\.ts$/,
  // The files that make schemas and describe parameters, wherever they are.
  document: /^openapi\/|(^|\/)describe-[^/]*\.ts$|-schemas?\.ts$|\/resource-rules\.ts$/,
}

/** Files whose folder has other readers. */
const developerFiles =
  /\/(check-actions|run-request-hooks|check-access|declare-access|jwt-options)\.ts$/

const clientErrors = /^(ApiError|refuse|problem|createApiError|temporaryRefusal)$/
const documentedMembers = /^(summary|description)$/
const titledMembers = /^(title|summary|description|detail)$/

/** Words, not an identifier, a header, a media type or a pattern. */
const isText = (/** @type {string} */ text) =>
  /(^|[\s'"(])[A-Za-z][a-z]+[,;:.]?'? ['"(`]?[a-z{0-9]/.test(text) && !protocolText.test(text)

const protocolText =
  /^(Accept,|Basic |bytes |(connection|content-[a-z]+|host): |printf |private,|public,)|HTTP\/1\.1\n/

/**
 * The texts for people in `src/`, in the order of the code.
 * @returns {Promise<Message[]>}
 */
export async function readMessages(folder = resolve('src')) {
  const files = /** @type {string[]} */ (readdirSync(folder, { recursive: true }))
  const messages = await Promise.all(
    files
      .filter((file) => file.endsWith('.ts') && !skippedFiles.test(file))
      .sort()
      .map(async (file) => {
        const typescript = readFileSync(resolve(folder, file), 'utf8')
        // The typescript package has no parser for programs; Vite removes types and parses the
        // rest.
        const { code } = await transformWithEsbuild(typescript, file, { target: 'esnext' })
        return messagesOf(file, parseAst(code))
      }),
  )
  return messages.flat()
}

const audiences = /** @type {const} */ ({
  clients: 'Errors that clients get',
  document: 'The OpenAPI document',
  developers: 'Errors and reports that developers get',
})

/**
 * The page docs/messages.md.
 * @param {readonly Message[]} messages
 */
export function messagesDocument(messages) {
  return [
    '# Messages',
    '',
    'After this page you have read every text of the service for a person, in one go.',
    '`npm run messages` makes this page from the code.',
    '',
    'Each text is listed under who reads it: clients, readers of the OpenAPI document, or developers.',
    'Names in braces are values; `{…}` is a value without a name, or one of the parts that follow.',
    ...Object.entries(audiences).flatMap(([audience, title]) => [
      '',
      `## ${title}`,
      ...listByFile(messages.filter((message) => message.audience === audience)),
    ]),
    '',
  ].join('\n')
}

/** @param {readonly Message[]} messages */
function listByFile(messages) {
  const files = [...new Set(messages.map(({ file }) => file))]
  return files.flatMap((file) => {
    const texts = messages.filter((message) => message.file === file).map(({ text }) => text)
    return ['', `### ${file}`, '', ...[...new Set(texts)].map(listItem)]
  })
}

/** @param {string} text */
function listItem(text) {
  const lines = text.replaceAll(/[<*]/g, String.raw`\$&`).trim().split('\n')
  return `- ${lines
    .map((line) => (line ? `  ${line}` : ''))
    .join('\n')
    .trim()}`
}

/**
 * @param {string} file
 * @param {unknown} program
 * @returns {Message[]}
 */
function messagesOf(file, program) {
  /** @type {Message[]} */
  const messages = []
  /** @param {unknown} value @param {readonly Node[]} parents */
  function visit(value, parents) {
    if (Array.isArray(value)) for (const element of value) visit(element, parents)
    if (!isNode(value) || /^(Import|ExportAll)/.test(value.type)) return
    if (value.type === 'TaggedTemplateExpression') return visit(value.quasi.expressions, parents)
    const text = textOf(value)
    const isTitle = titledMembers.test(nameOf(parents.at(-1)?.key) ?? '')
    const isInError = parents.some(
      (parent) => clientErrors.test(calleeOf(parent)) || isError(parent),
    )
    if (
      text !== undefined &&
      (isTitle || isText(text)) &&
      !isSourceText(text) &&
      (isInError || isTitle || isSentence(text) || !sqlFolders.test(file))
    )
      messages.push({
        file,
        audience: audienceOf(file, parents),
        text,
        isDetail: isDetail(value, parents.at(-1)),
      })
    const within = [...parents, value]
    for (const child of Object.values(value)) visit(child, within)
  }
  visit(program, [])
  return messages
}

/**
 * Who reads a text: the readers of the innermost error or documented member that it stands in, else
 * those of its folder.
 * @param {string} file
 * @param {readonly Node[]} parents
 * @returns {Audience}
 */
function audienceOf(file, parents) {
  for (const parent of parents.toReversed()) {
    if (clientErrors.test(calleeOf(parent))) return 'clients'
    if (isError(parent)) return 'developers'
    if (parent.type === 'Property' && documentedMembers.test(nameOf(parent.key) ?? ''))
      return 'document'
  }
  if (developerFiles.test(file) || folders.developers.test(file)) return 'developers'
  return folders.document.test(file) ? 'document' : 'clients'
}

/**
 * Whether a literal by itself is the detail of an error, or its message.
 * @param {Node} node
 * @param {Node | undefined} parent
 */
function isDetail(node, parent) {
  if (!parent) return false
  if (parent.type === 'Property') return nameOf(parent.key) === 'detail'
  return (isError(parent) || clientErrors.test(calleeOf(parent))) && parent.arguments.includes(node)
}

/** @param {unknown} value @returns {value is Node} */
function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** @param {Node} node */
function isError(node) {
  const callee = calleeOf(node)
  return node.type === 'NewExpression'
    ? /(?<!Syntax)(Error|Timeout|Overloaded|Unavailable)$/.test(callee)
    : callee === 'Super'
}

/** The function or class that a node calls, '' if it calls none. @param {Node} node */
function calleeOf(node) {
  if (node.callee?.type === 'Super') return 'Super'
  return (/^(Call|New)Expression$/.test(node.type) && nameOf(node.callee)) || ''
}

/**
 * The text of a literal, with the names of its values in braces.
 * @param {Node} node
 * @returns {string | undefined}
 */
function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  return node.quasis
    .map((/** @type {Node} */ quasi, /** @type {number} */ index) => {
      const value = node.expressions[index]
      return quasi.value.cooked + (value ? `{${valueNameOf(value) ?? '…'}}` : '')
    })
    .join('')
}

/** Functions that change only the form of their argument, or of the object that they belong to. */
const transparentCalls =
  /^(String|Number|stringify|get|join|map|slice|replaceAll|toString|toFixed|to(Lower|Upper)Case|toWordsWithArticle|(un)?capitalize|truncate\w*|format\w*|describeRule|listNames|quoteNames)$/

/** Members that many values have, so the object is named too. */
const ambiguousMembers = /^(name|plural|length|id|size|kind|type|wireName|singular|message|text)$/

/**
 * The name by which a reader knows a value: of `relationWords(rule)` the function, but of
 * `truncate(code)` and `codes.join()` the argument or the object.
 * @param {Node | undefined} node
 * @returns {string | undefined}
 */
function valueNameOf(node) {
  switch (node?.type) {
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'AwaitExpression':
      return valueNameOf(node.expression ?? node.argument)
    case 'MemberExpression': {
      const name = nameOf(node)
      const owner = node.computed ? undefined : valueNameOf(node.object)
      return owner && ambiguousMembers.test(name ?? '') ? `${owner}.${name}` : name
    }
    case 'CallExpression': {
      const callee = nameOf(node.callee)
      if (callee === 'countOf') {
        const [number, noun] = node.arguments
        return `${valueNameOf(number) ?? '…'} ${nameOf(noun)}s`
      }
      if (!transparentCalls.test(callee ?? '')) return callee
      const [argument] = node.arguments
      const owner = /^(JSON|Number|Math)$/.test(nameOf(node.callee.object) ?? '')
        ? undefined
        : node.callee.object
      return valueNameOf(owner ?? argument)
    }
    default:
      return nameOf(node)
  }
}

/**
 * The name that the code itself has for a node: of a function, a class, a member or a key.
 * @param {Node | undefined} node
 * @returns {string | undefined}
 */
function nameOf(node) {
  switch (node?.type) {
    case 'Identifier':
      return node.name
    case 'Literal':
      return String(node.value)
    case 'MemberExpression':
      return nameOf(node.computed ? node.object : node.property)
    case 'ChainExpression':
    case 'TSNonNullExpression':
      return nameOf(node.expression)
    default:
      return undefined
  }
}
