// Visits an MCP server with the client of the AI SDK, which has protocol code of its own, and prints what it saw as JSON.
// Arguments: the URL of a server, or a command that starts one and its arguments.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";

const [first, ...others] = process.argv.slice(2);
const transport = first.startsWith("http")
  ? { type: "http", url: first }
  : new Experimental_StdioMCPTransport({ command: first, args: others, env: process.env });

const client = await createMCPClient({ transport });
const call = (name, args) => client.callTool({ name, arguments: args });
const found = await call("search", { query: "远程办公", limit: 2 });
const id = found.structuredContent.hits[0].id;
const { resources } = await client.listResources();
const seen = {
  server: client.serverInfo.name,
  protocol: client.initializeResult.protocolVersion,
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  forModels: Object.keys(await client.tools()),
  found,
  fetched: await call("fetch", { id, before: 1 }),
  verified: await call("verify", { quotes: [`[${id}] 员工每周远程办公不超过三天`] }),
  wrong: await call("search", { query: "远程办公", lmit: 2 }),
  resources: resources.map((resource) => resource.name),
  document: (await client.readResource({ uri: resources[0].uri })).contents[0].text,
  templates: (await client.listResourceTemplates()).resourceTemplates.map((template) => template.name),
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
};
await client.close();
console.log(JSON.stringify(seen));
