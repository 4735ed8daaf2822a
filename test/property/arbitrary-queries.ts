import fc from 'fast-check'

/** Names of models, fields and operators of the shop. */
export const knownNames = {
  plurals: ['authors', 'publishers', 'genres', 'books', 'reviews', 'labels', 'ledgers'],
  names: ['author', 'publisher', 'genre', 'book', 'review', 'label', 'ledger'],
  ids: ['a1', 'a2', 'p1', 'fiction', 'gothic', 'b1', 'b2', 'b3', 'r1', 'l1', 'd1', 'none'],
  fields: [
    'id',
    'title',
    'isbn',
    'price',
    'inStock',
    'pages',
    'publishedAt',
    'tags',
    'dimensions',
    'dimensions.width',
  ]
    .concat([
      'author',
      'publisher',
      'genres',
      'hash',
      'author.name',
      'publisher.country',
      'author.books',
      'rating',
    ])
    .concat([
      'text',
      'createdAt',
      'book',
      'book.author.name',
      'parent.parent.name',
      'name',
      'bio',
      'books',
    ]),
  operators: [
    'eq',
    'ne',
    'gt',
    'gte',
    'lt',
    'lte',
    'in',
    'nin',
    'contains',
    'startsWith',
    'endsWith',
    'like',
    'iequals',
    'icontains',
    'istartsWith',
    'isNull',
  ].concat(['any', 'all']),
}

/** Longer than any part of a request may be. */
export const longText: string = 'x'.repeat(100_000)
const hostileTexts = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\0',
  'a\0b',
  '\ufeff',
  '\ufffd',
  '\u202e',
  '\u2028',
  '𝕊😀',
  'e\u0301',
  "' OR '1'='1",
  '"; DROP TABLE book; --',
  '%',
  '%%%%%%%%',
  '_',
  '\\',
  '../../etc/passwd',
  '..',
  '.',
  '/',
  '\r\nX-Evil: 1',
  '*',
  '1e400',
  '-0',
  '9007199254740993',
  '0x10',
  'NaN',
  'null',
  'true',
  '1818-01-01',
  '2024-02-30',
  'costPrice',
  'email',
  longText,
]

export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ size: 'max', maxLength: 200, unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ size: 'max', maxLength: 40 }) },
)
export const loneSurrogate: fc.Arbitrary<string> = fc.constantFrom(
  '\ud800',
  '\udfff',
  'a\ud800b',
  '\udc00\ud800',
)
const field = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...knownNames.fields) },
  { weight: 1, arbitrary: text },
)
const operator = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...knownNames.operators) },
  { weight: 1, arbitrary: text },
)
const value = fc.oneof(
  text,
  fc.constantFrom(
    'a',
    'Frankenstein',
    '9.5',
    '1',
    'true',
    'false',
    'a1',
    'b1',
    'gothic,fiction',
    '%a%',
    '1818-01-01',
  ),
  fc.double().map(String),
  fc.integer().map(String),
)

/**
 * The path as it is sent; characters that a query string cannot hold are escaped or left invalid on
 * purpose.
 */
export const percent = (part: string): string =>
  part.replace(/[\s\S]/gu, (character) =>
    /[\ud800-\udfff]/.test(character) && character.length === 1
      ? '%ed%a0%80'
      : encodeURIComponent(character),
  )

const literal = fc.oneof(
  value.map((entry) => `'${entry.replaceAll("'", "''")}'`),
  fc.constantFrom('1', '-1.5', '1e3', '1e400', 'true', 'false', 'null', "'", 'x', ''),
)
const expression: fc.Arbitrary<string> = fc.letrec<{ tree: string; leaf: string; node: string }>(
  (tie) => ({
    leaf: fc
      .tuple(operator, field, fc.array(literal, { maxLength: 4 }))
      .map(([name, path, values]) => `${name}(${[path, ...values].join(',')})`),
    node: fc
      .tuple(fc.constantFrom('and', 'or', 'not', 'xor'), fc.array(tie('tree'), { maxLength: 4 }))
      .map(([name, trees]) => `${name}(${trees.join(',')})`),
    tree: fc.oneof({ maxDepth: 6, depthSize: 'small' }, tie('leaf'), tie('node')),
  }),
).tree

const parameter = fc.oneof(
  fc.tuple(field, value).map(([name, one]) => `filter[${percent(name)}]=${percent(one)}`),
  fc
    .tuple(field, operator, value)
    .map(([name, by, one]) => `filter[${percent(name)}][${percent(by)}]=${percent(one)}`),
  expression.map((entry) => `filter=${percent(entry)}`),
  fc
    .constantFrom(10, 17, 1_000)
    .map((depth) => `filter=${'not('.repeat(depth)}eq(price,1)${')'.repeat(depth)}`),
  fc
    .array(fc.tuple(fc.constantFrom('', '-'), field), { minLength: 1, maxLength: 10 })
    .map((keys) => `sort=${keys.map(([minus, name]) => minus + percent(name)).join(',')}`),
  fc
    .tuple(
      fc.constantFrom('size', 'number', 'after', 'before', 'limit', 'offset', 'x'),
      fc.oneof(value, fc.nat().map(String)),
    )
    .map(([member, one]) => `page[${member}]=${percent(one)}`),
  fc.constantFrom(
    'page[size]=2',
    'page[size]=1&page[number]=2',
    'page[offset]=1&page[limit]=1',
    'withCount=true',
  ),
  fc
    .tuple(fc.constantFrom(...knownNames.plurals, 'x', ''), fc.array(field, { maxLength: 4 }))
    .map(([plural, names]) => `fields[${plural}]=${names.map(percent).join(',')}`),
  fc
    .array(
      fc.oneof(
        fc.constantFrom('author', 'author.books', 'genres', 'publisher', 'book.author', 'parent'),
        field,
      ),
      {
        maxLength: 5,
      },
    )
    .map((paths) => `include=${paths.map(percent).join(',')}`),
  fc
    .tuple(
      fc.constantFrom('author.books', 'books', 'genres', 'children'),
      fc.option(field),
      fc.option(fc.nat(9)),
      value,
    )
    .map(([path, name, size, one]) => {
      const sort = name === null ? '' : `&sortIncluded[${path}]=${percent(name)}`
      const filter =
        name === null ? '' : `&filterIncluded[${path}][${percent(name)}]=${percent(one)}`
      return `include=${path}${sort}${one.length % 2 ? filter : ''}${size === null ? '' : `&pageIncluded[${path}][size]=${size}`}`
    }),
  fc
    .tuple(fc.constantFrom('filterIncluded', 'sortIncluded', 'pageIncluded'), field, field, value)
    .map(
      ([family, path, name, one]) =>
        `${family}[${percent(path)}][${percent(name)}]=${percent(one)}`,
    ),
  value.map((entry) => `withCount=${percent(entry)}`),
  fc.tuple(text, value).map(([name, one]) => `${percent(name)}=${percent(one)}`),
  text,
  loneSurrogate.map((entry) => `filter[title]=${entry}`),
  fc.constantFrom(
    '%zz=1',
    'filter[title]=%c0%af',
    '&&&',
    '=',
    '[]',
    'filter[[title]]=1',
    'filter[title',
    '#',
  ),
)
/** Query strings of lists, valid ones and others. */
export const query: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 5, arbitrary: fc.array(parameter, { maxLength: 4 }).map((all) => all.join('&')) },
)
