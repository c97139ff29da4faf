/** A published server whose tools the bench searches. It is only ever asked to list them. */
export interface PublishedServer {
  readonly name: string
  readonly package: string
  readonly version: string
  /** `HOME` stands for the empty folder it runs in. */
  readonly args?: readonly string[]
  /** What a server wants to see before it lists its tools. None of it is a real key or address. */
  readonly env?: Readonly<Record<string, string>>
}

export const publishedServers: readonly PublishedServer[] = [
  { name: 'airbnb', package: '@openbnb/mcp-server-airbnb', version: '0.3.0' },
  { name: 'airtable', package: 'airtable-mcp-server', version: '1.14.0', env: { AIRTABLE_API_KEY: 'none' } },
  { name: 'asana', package: '@roychri/mcp-server-asana', version: '1.8.0', env: { ASANA_ACCESS_TOKEN: 'none' } },
  {
    name: 'brave-search',
    package: '@modelcontextprotocol/server-brave-search',
    version: '0.6.2',
    env: { BRAVE_API_KEY: 'none' },
  },
  { name: 'calculator', package: '@wrtnlabs/calculator-mcp', version: '0.2.1' },
  { name: 'chart', package: '@antv/mcp-server-chart', version: '0.9.10' },
  { name: 'chrome', package: 'chrome-devtools-mcp', version: '1.11.0' },
  { name: 'context7', package: '@upstash/context7-mcp', version: '4.1.1' },
  { name: 'docker', package: 'mcp-server-docker', version: '1.0.0' },
  {
    name: 'elasticsearch',
    package: '@elastic/mcp-server-elasticsearch',
    version: '0.3.1',
    env: { ES_URL: 'http://127.0.0.1:9', ES_API_KEY: 'none' },
  },
  { name: 'eslint', package: '@eslint/mcp', version: '0.3.13' },
  { name: 'everything', package: '@modelcontextprotocol/server-everything', version: '2026.8.31' },
  { name: 'excel', package: '@negokaz/excel-mcp-server', version: '0.12.0' },
  { name: 'fetch', package: 'mcp-fetch-server', version: '1.1.2' },
  {
    name: 'figma',
    package: 'figma-developer-mcp',
    version: '0.13.2',
    args: ['--stdio'],
    env: { FIGMA_API_KEY: 'none' },
  },
  { name: 'filesystem', package: '@modelcontextprotocol/server-filesystem', version: '2026.8.31', args: ['HOME'] },
  { name: 'git', package: '@cyanheads/git-mcp-server', version: '2.15.3' },
  { name: 'github', package: '@modelcontextprotocol/server-github', version: '2025.4.8' },
  {
    name: 'gitlab',
    package: '@modelcontextprotocol/server-gitlab',
    version: '2025.4.25',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' },
  },
  {
    name: 'google-maps',
    package: '@modelcontextprotocol/server-google-maps',
    version: '0.6.2',
    env: { GOOGLE_MAPS_API_KEY: 'none' },
  },
  { name: 'jira', package: '@aashari/mcp-server-atlassian-jira', version: '3.3.0' },
  { name: 'kubernetes', package: 'mcp-server-kubernetes', version: '4.1.7' },
  {
    name: 'line',
    package: '@line/line-bot-mcp-server',
    version: '0.5.0',
    env: { CHANNEL_ACCESS_TOKEN: 'none', DESTINATION_USER_ID: 'none' },
  },
  { name: 'linear', package: '@tacticlaunch/mcp-linear', version: '1.4.3', env: { LINEAR_API_TOKEN: 'none' } },
  {
    name: 'mapbox',
    package: '@mapbox/mcp-server',
    version: '0.14.0',
    env: { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1Ijoibm9uZSJ9.none' },
  },
  { name: 'memory', package: '@modelcontextprotocol/server-memory', version: '2026.8.31' },
  { name: 'mermaid', package: 'mcp-mermaid', version: '0.4.1' },
  { name: 'mobile', package: '@mobilenext/mobile-mcp', version: '1.0.4' },
  { name: 'mongodb', package: 'mongodb-mcp-server', version: '3.0.4' },
  { name: 'notion', package: '@notionhq/notion-mcp-server', version: '2.5.2' },
  { name: 'pdf', package: '@sylphx/pdf-reader-mcp', version: '2.4.0' },
  { name: 'playwright', package: '@playwright/mcp', version: '0.0.83' },
  {
    name: 'postgres',
    package: '@modelcontextprotocol/server-postgres',
    version: '0.6.2',
    args: ['postgresql://127.0.0.1:9/none'],
  },
  { name: 'puppeteer', package: '@modelcontextprotocol/server-puppeteer', version: '2025.5.12' },
  {
    name: 'slack',
    package: '@modelcontextprotocol/server-slack',
    version: '2025.4.25',
    env: { SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'none' },
  },
  { name: 'ssh', package: 'ssh-mcp', version: '2.11.0', args: ['--host=127.0.0.1', '--user=none'] },
  { name: 'taskmanager', package: '@kazuph/mcp-taskmanager', version: '1.1.1' },
  { name: 'tavily', package: 'tavily-mcp', version: '0.2.22', env: { TAVILY_API_KEY: 'none' } },
  { name: 'thinking', package: '@modelcontextprotocol/server-sequential-thinking', version: '2026.8.31' },
  { name: 'time', package: 'time-mcp', version: '1.0.6' },
  {
    name: 'trello',
    package: '@delorenj/mcp-server-trello',
    version: '1.8.1',
    env: { TRELLO_API_KEY: 'none', TRELLO_TOKEN: 'none' },
  },
  { name: 'vault', package: '@bitbonsai/mcpvault', version: '0.16.0', args: ['HOME'] },
  { name: 'weather', package: '@dangahagan/weather-mcp', version: '1.23.0' },
  { name: 'wikipedia', package: 'wikipedia-mcp', version: '1.0.3' },
  { name: 'xcode', package: 'xcodebuildmcp', version: '2.7.0', args: ['mcp'] },
  { name: 'youtube', package: '@kimtaeyoon83/mcp-server-youtube-transcript', version: '0.1.1' },
]
