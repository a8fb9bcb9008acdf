export { ConfigError, defaultConfig, type LogLevel, loadConfig, type ServerConfig, settingsHelp } from './config.js';
export { runServer } from './run.js';
export { type RunningServer, startServer } from './server.js';
